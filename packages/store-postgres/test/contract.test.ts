import { describeStore } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { clauseTimeoutMs, processHarness } from "./stores.js";

describeStore({ describe, test }, processHarness(), { clauseTimeoutMs });
