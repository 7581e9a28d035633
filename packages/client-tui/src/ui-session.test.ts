import { expect, it } from "vitest";
import { farewell } from "./ui-session.js";

it.each([
  [1, "detach", "1 task continues without you. Come back with: resumable-mcp\n"],
  [2, "detach", "2 tasks continue without you. Come back with: resumable-mcp\n"],
  [1, "stop", "1 task is not finished. The server stops now; start it again to continue from the last checkpoint.\n"],
  [
    2,
    "pause",
    "2 tasks are not finished; running tasks pause at their next checkpoint. Come back with: resumable-mcp\n",
  ],
  [1, "cancel", "1 task was not finished; running tasks were cancelled.\n"],
] as const)("tells of %i unfinished tasks whose fate is to %s what is true of them", (count, fate, text) => {
  expect(farewell(count, fate)).toBe(text);
});
