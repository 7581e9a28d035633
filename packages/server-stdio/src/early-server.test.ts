import { expect, test } from "vitest";
import { startEarly } from "./early-server.js";

test.each([
  [["tools.mjs", "--no-supervise"]],
  [["tools.mjs", "--help"]],
  [["tools.mjs", "--unknown"]],
  [["--command", "node server.js"]],
  [["tools.mjs", "--print-config", "cursor"]],
  [["one.mjs", "two.mjs"]],
  [["tools.mjs", "--store"]],
  [[]],
])("no server is started early for %j", (args) => {
  expect(startEarly(args)).toBeUndefined();
});
