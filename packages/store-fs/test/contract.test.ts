import { describeStore } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { folderHarness } from "./folder-harness.js";

describe("machine", () => describeStore({ describe, test }, folderHarness({ durability: "machine" })));
describe("process", () => describeStore({ describe, test }, folderHarness({ durability: "process" })));
