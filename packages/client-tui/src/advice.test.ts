import { expect, it } from "vitest";
import { withCommands } from "./advice.js";

it.each([
  [
    "There is no task x. list_session_tasks lists your tasks.",
    "There is no task x. `resumable-mcp tasks --all` lists your tasks.",
  ],
  ["Check its input, then call resume_task.", "Check its input, then run `resumable-mcp resume`."],
  [
    "Start a server that has the tool, or end the task with my_cancel_task.",
    "Start a server that has the tool, or end the task with `resumable-mcp cancel`.",
  ],
  ["wait_for_task shows what the task came to.", "`resumable-mcp wait` shows what the task came to."],
  ["acme_list_session_tasks lists them.", "`resumable-mcp tasks --all` lists them."],
  [
    "work does not have the tool list_session_tasks: no tasks.",
    "work does not have the tool list_session_tasks: no tasks.",
  ],
  ["Nothing is left to cancel.", "Nothing is left to cancel."],
])("%j is shown as %j", (message, shown) => {
  expect(withCommands(message)).toBe(shown);
});
