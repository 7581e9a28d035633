import { expect, it } from "vitest";
import { farewell } from "./ui-session.js";

it.each([
  [1, 0, 0, "detach", "1 task continues without you. Come back with: resumable-mcp\n"],
  [2, 0, 0, "detach", "2 tasks continue without you. Come back with: resumable-mcp\n"],
  [2, 2, 1, "detach", "2 tasks continue without you, 2 are paused, 1 needs input. Come back with: resumable-mcp\n"],
  [0, 1, 2, "detach", "1 task is paused, 2 need input. Come back with: resumable-mcp\n"],
  [
    0,
    1,
    0,
    "stop",
    "1 task is not finished. The server stops now; start it again to continue from the last checkpoint.\n",
  ],
  [
    1,
    0,
    1,
    "pause",
    "2 tasks are not finished; running tasks pause at their next checkpoint. Come back with: resumable-mcp\n",
  ],
  [1, 0, 0, "cancel", "1 task was not finished; running tasks were cancelled.\n"],
] as const)(
  "tells of %i tasks that move, %i that are paused and %i that need input, whose fate is to %s",
  (moving, paused, asking, fate, text) => {
    expect(farewell({ moving, paused, asking }, fate)).toBe(text);
  },
);
