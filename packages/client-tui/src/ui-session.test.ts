import { expect, it } from "vitest";
import { farewell } from "./ui-session.js";

it.each([
  [1, 0, "detach", "1 task continues without you. Come back with: resumable-mcp\n"],
  [2, 0, "detach", "2 tasks continue without you. Come back with: resumable-mcp\n"],
  [2, 1, "detach", "2 tasks continue without you, 1 waits for you. Come back with: resumable-mcp\n"],
  [0, 2, "detach", "2 tasks wait for you. Come back with: resumable-mcp\n"],
  [
    0,
    1,
    "stop",
    "1 task is not finished. The server stops now; start it again to continue from the last checkpoint.\n",
  ],
  [
    1,
    1,
    "pause",
    "2 tasks are not finished; running tasks pause at their next checkpoint. Come back with: resumable-mcp\n",
  ],
  [1, 0, "cancel", "1 task was not finished; running tasks were cancelled.\n"],
] as const)("tells of %i tasks that move and %i that wait, whose fate is to %s", (moving, waiting, fate, text) => {
  expect(farewell({ moving, waiting }, fate)).toBe(text);
});
