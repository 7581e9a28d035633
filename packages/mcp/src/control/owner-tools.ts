import {
  finalStatuses,
  isResumableError,
  type JsonObject,
  type TaskSummary,
  type TaskView,
  unfinishedStatuses,
} from "@resumable-mcp/core";
import type { Call } from "../call/call.js";
import { dataResult, listedTask } from "../call/tool-result.js";
import { controlTool } from "./control-tool.js";

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

/** The caller's unfinished tasks, newest first. */
export async function unfinishedTasks(tasks: Call["tasks"], limit: number): Promise<readonly TaskView[]> {
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
