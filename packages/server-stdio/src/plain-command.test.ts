import { quotaFlags } from "@resumable-mcp/mcp/command-line";
import { expect, test } from "vitest";
import { plainCommand } from "./plain-command.js";

test("a command line that asks for nothing but a server is read before anything is loaded", () => {
  const args = ["tools.mjs", "--store", "tasks", "--recover-after", "now", "--handoff", "--no-supervise"];
  expect(plainCommand(args)).toEqual({
    module: "tools.mjs",
    flags: { store: "tasks", "recover-after": "now", handoff: true, "no-supervise": true },
  });
});

test("a server with quotas is read before anything is loaded, too", () => {
  const flags = Object.fromEntries(Object.keys(quotaFlags).map((flag) => [flag, "7"]));
  const args = Object.entries(flags).flatMap(([flag, text]) => [`--${flag}`, text]);
  expect(plainCommand(["tools.mjs", ...args])).toEqual({ module: "tools.mjs", flags });
});

test.each([
  [["tools.mjs", "--help"]],
  [["tools.mjs", "--unknown"]],
  [["--command", "node server.js"]],
  [["tools.mjs", "--print-config", "cursor"]],
  [["one.mjs", "two.mjs"]],
  [["tools.mjs", "--store"]],
  [[]],
])("%j is left to the parser of all flags", (args) => {
  expect(plainCommand(args)).toBeUndefined();
});
