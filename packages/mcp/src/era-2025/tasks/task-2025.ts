import {
  isFinal,
  isResumableError,
  type JsonObject,
  type OwnedTasks,
  type TaskSummary,
  type TaskView,
} from "@resumable-mcp/core";
import { metaKeys, rpcCodes } from "@resumable-mcp/protocol";
import { RpcError } from "../../call/rpc-error.js";
import { progressText } from "../../call/tool-result.js";
import { limits } from "../../limits.js";

/** The key by which messages name the task that they belong to. Source: MCP 2025-11-25, Tasks, "Related Task Metadata". */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

/** A task as the 2025-11-25 version shows it. Source: MCP 2025-11-25, Tasks, "Data Types". */
export type Task2025 = {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** In milliseconds from its creation on; `null`: it is kept. */
  ttl: number | null;
  pollInterval: number;
};

/** Shows a task. */
export function task2025(view: TaskView): Task2025 {
  const { record, status, interrupted } = view;
  const state = interrupted ? "interrupted" : status;
  const statusMessage = [`${state}: ${progressText(record)}`, record.message].filter((part) => part !== undefined);
  return { ...summary2025({ ...record, status }), statusMessage: statusMessage.join(", ") };
}

/** The same for lists, which know a little less. */
export function summary2025(task: TaskSummary): Task2025 {
  return {
    taskId: task.id,
    status: status2025(task.status),
    statusMessage: task.message,
    createdAt: task.createdAt,
    lastUpdatedAt: task.updatedAt,
    ttl: ttlOf(task),
    pollInterval: limits.pollIntervalMs,
  };
}

/** The answer to a call that became a task. Source: the same, "CreateTaskResult". */
export function createTaskResult2025(view: TaskView): JsonObject {
  const { id, lastSeq } = view.record;
  return { task: task2025(view), _meta: { [metaKeys.taskId]: id, [metaKeys.seq]: lastSeq } };
}

function status2025(status: TaskSummary["status"]): Task2025["status"] {
  return status === "pending" || status === "running" || status === "paused" ? "working" : status;
}

/** An unfinished task is never deleted; a finished one is kept for its time, which counts from its end. */
function ttlOf({ status, finishedAt, createdAt, ttlMs }: TaskSummary): number | null {
  if (!isFinal(status) || finishedAt === undefined) return null;
  return Date.parse(finishedAt) - Date.parse(createdAt) + ttlMs;
}

/**
 * Cancels a task, and gives it as it is to be shown: cancelled, though its code may still be about to stop.
 *
 * Source: MCP 2025-11-25, Tasks, "Task Cancellation": a finished task cannot be cancelled.
 */
export async function cancelTask(tasks: OwnedTasks, taskId: string): Promise<TaskView> {
  try {
    await tasks.cancel(taskId);
  } catch (error) {
    if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
    throw new RpcError({ code: rpcCodes.invalidParams, message: error.message });
  }
  const { reason, ...view } = await tasks.wait(taskId, { timeoutMs: limits.cancelWaitMs });
  return isFinal(view.status) ? view : { ...view, status: "cancelled" };
}

const pageSize = 100;

/** A page of tasks. Source: MCP 2025-11-25, Tasks, "Task Listing". */
export type TaskPage2025 = { tasks: Task2025[]; nextCursor?: string };

/** Lists one owner's tasks, newest first. */
export async function listTasks(tasks: OwnedTasks, cursor: string | undefined): Promise<TaskPage2025> {
  const page = await tasks.list({ limit: pageSize, cursor });
  const { nextCursor } = page;
  return { tasks: page.tasks.map(summary2025), nextCursor };
}
