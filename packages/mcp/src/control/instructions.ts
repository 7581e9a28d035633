import type { OwnedTasks, TaskView } from "@resumable-mcp/core";
import { progressText } from "../call/tool-result.js";
import { limits } from "../limits.js";
import { unfinishedTasks } from "./owner-tools.js";

/** Explains long-running tools to a model. Source: MCP, Lifecycle, "Initialization" (`instructions`). */
export const longToolsText =
  "MCP server with resumability and checkpoints for long tasks. A long tool saves its progress as it goes: if a call is cut off, call the tool again with the same arguments and it continues where it was, instead of beginning again. When a call answers with status running, call wait_for_task with its task_id until the status is completed; do not call the tool again. pause_task, resume_task and cancel_task control a task where they are offered.";

/**
 * Makes the server's `instructions`: how to use long tools, and, where the owner is known at the beginning, which of
 * their tasks are unfinished.
 */
export async function makeInstructions(own: string | undefined, tasks?: OwnedTasks): Promise<string> {
  const unfinished = tasks === undefined ? [] : await unfinishedTasks(tasks, limits.maxNamedTasks);
  const named = unfinished.length === 0 ? undefined : `Unfinished tasks of this user:\n${listText(unfinished)}`;
  return [own, longToolsText, named].filter((part) => part !== undefined).join("\n\n");
}

/** What the prompt `unfinished_tasks` says. Source: MCP, Prompts. */
export async function unfinishedTasksText(tasks: OwnedTasks): Promise<string> {
  const unfinished = await unfinishedTasks(tasks, 100);
  if (unfinished.length === 0) return "There are no unfinished tasks.";
  return `These tasks are not finished:\n${listText(unfinished)}\nTell me about them, and ask which of them to resume (resume_task, then wait_for_task) and which to cancel (cancel_task).`;
}

function listText(tasks: readonly TaskView[]): string {
  return tasks
    .map(({ record, status, interrupted }) => {
      const state = interrupted ? "interrupted" : status;
      return `- ${record.tool}, task_id ${record.id}: ${state}, ${progressText(record)}`;
    })
    .join("\n");
}
