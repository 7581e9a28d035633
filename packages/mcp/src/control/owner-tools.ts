import { isResumableError, type JsonObject, type TaskView } from "@resumable-mcp/core";
import { finalStatuses, type TaskSummary, unfinishedStatuses } from "@resumable-mcp/core/store";
import type { Call } from "../call/call.js";
import { dataResult, listedTask, progressText } from "../call/tool-result.js";
import { limits } from "../limits.js";
import { controlTool } from "./control-tool.js";
import { joinInstructions } from "./instructions.js";

const allStatuses = [...unfinishedStatuses, ...finalStatuses];

/** `list_session_tasks`: the caller's own tasks, newest first. */
export const listSessionTasks = controlTool("list_session_tasks", async (call, input) => {
  const [page, counts] = await Promise.all([
    call.tasks.list({
      limit: input.limit,
      statuses: input.status,
      tool: input.task_name,
      cursor: input.cursor,
    }),
    call.tasks.count(),
  ]);
  const { views, damaged } = await viewsOf(call, [...page.tasks, ...(page.damaged ?? [])]);
  return dataResult({
    session_id: call.sessionId ?? null,
    persistent_id: call.clientId ?? call.sessionId ?? null,
    total_tasks: counts.total,
    tasks: views.map((view) => listedTask(call.engine, view)),
    ...(damaged.length > 0 && { damaged_tasks: damaged }),
    ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
  });
});

/** `get_checkpoint_stats`: how many tasks the caller has, by status. */
export const checkpointStats = controlTool("get_checkpoint_stats", async (call) => {
  const counts = await call.tasks.count();
  const checkpoint_stats = Object.fromEntries(allStatuses.map((name) => [name, counts.byStatus[name] ?? 0]));
  return dataResult({ checkpoint_stats, total_checkpoints: counts.total });
});

/** `get_session_info`: by which connection and under which name the caller is known. */
export const sessionInfo = controlTool("get_session_info", async (call) =>
  dataResult({
    session_id: call.sessionId ?? null,
    request_id: call.meta.requestId ?? call.requestId,
    client_id: call.clientId ?? null,
  }),
);

/**
 * Makes the server's `instructions`: how to use long tools, and, where the owner is known at the beginning, which of
 * their tasks are unfinished.
 */
export async function makeInstructions(own: string | undefined, tasks?: Call["tasks"]): Promise<string> {
  const unfinished = tasks === undefined ? [] : await unfinishedTasks(tasks, limits.maxNamedTasks);
  const named = unfinished.length === 0 ? undefined : `Unfinished tasks of this user:\n${listText(unfinished)}`;
  return joinInstructions(own, named);
}

/** What the prompt `unfinished_tasks` says. Source: MCP, Prompts. */
export async function unfinishedTasksText(tasks: Call["tasks"]): Promise<string> {
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

/** The caller's unfinished tasks, newest first. */
async function unfinishedTasks(tasks: Call["tasks"], limit: number): Promise<readonly TaskView[]> {
  const page = await tasks.list({ statuses: unfinishedStatuses, limit });
  return (await viewsOf({ tasks }, page.tasks)).views;
}

/** Reads what a page lists. A task that was deleted since is left out; one that is damaged hides no other. */
async function viewsOf(
  { tasks }: Pick<Call, "tasks">,
  listed: readonly TaskSummary[],
): Promise<{ readonly views: readonly TaskView[]; readonly damaged: readonly JsonObject[] }> {
  const read = await Promise.all(listed.map((summary) => readListed(tasks, summary)));
  return {
    views: read.map((one) => one?.view).filter((view) => view !== undefined),
    damaged: read.map((one) => one?.damaged).filter((task) => task !== undefined),
  };
}

async function readListed(
  tasks: Call["tasks"],
  { id, tool }: TaskSummary,
): Promise<{ readonly view?: TaskView; readonly damaged?: JsonObject } | undefined> {
  try {
    return { view: await tasks.get(id) };
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
    if (!isResumableError(error, "TASK_CORRUPT")) throw error;
    const { code, message } = error;
    return { damaged: { task_id: id, task_name: tool, error: { code, message } } };
  }
}
