import { describeStore } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { folderHarness } from "./folder-harness.js";

describeStore({ describe, test }, folderHarness({ durability: "machine" }));
