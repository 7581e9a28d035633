import { isFinal, isResumableError, type JsonObject, type OwnedTasks, type TaskView } from "@resumable-mcp/core";
import { readRpcCode } from "@resumable-mcp/core/internal";
import type { TaskSummary } from "@resumable-mcp/core/store";
import { metaKeys, rpcCodes } from "@resumable-mcp/protocol";
import type { Call } from "../../call/call.js";
import { followCall } from "../../call/follow-call.js";
import { carryResult } from "../../call/result-delivered.js";
import { RpcError } from "../../call/rpc-error.js";
import {
  type Answerer,
  finishedResult,
  isMirrored,
  keptMs,
  mirroredFailure,
  statusMessage,
  type ToolResult,
  toText,
  withLabel,
} from "../../call/tool-result.js";
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

/** Shows a task. It has failed, too, where another server answered its call with an error. Source: the same, "Task Execution Errors". */
export function task2025(answerer: Pick<Answerer, "engine">, view: TaskView): Task2025 {
  const shown = { ...summary2025({ ...view.record, status: view.status }), statusMessage: statusMessage(view) };
  const failure = mirroredFailure(answerer, view.record);
  if (failure === undefined) return shown;
  return { ...shown, status: "failed", statusMessage: withLabel(`failed: ${failure}`, view.record) };
}

/** The same for lists, which know a little less. */
function summary2025(task: TaskSummary): Task2025 {
  const said = toText(task);
  return {
    taskId: task.id,
    status: status2025(task.status),
    statusMessage: said === undefined ? task.label : withLabel(said, task),
    createdAt: task.createdAt,
    lastUpdatedAt: task.updatedAt,
    ttl: keptMs(task),
    pollInterval: limits.pollIntervalMs,
  };
}

/** The answer to a call that became a task. Source: the same, "CreateTaskResult". */
export function createTaskResult2025(answerer: Pick<Answerer, "engine">, view: TaskView): JsonObject {
  const { id, lastSeq } = view.record;
  return { task: task2025(answerer, view), _meta: { [metaKeys.taskId]: id, [metaKeys.seq]: lastSeq } };
}

function status2025(status: TaskSummary["status"]): Task2025["status"] {
  return status === "pending" || status === "running" || status === "paused" ? "working" : status;
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
    throw new RpcError(rpcCodes.invalidParams, error.message);
  }
  const { reason, ...view } = await tasks.wait(taskId, { timeoutMs: limits.cancelWaitMs });
  return isFinal(view.status) ? view : { ...view, status: "cancelled" };
}

const pageSize = 100;

/** A page of tasks. Source: MCP 2025-11-25, Tasks, "Task Listing". */
export type TaskPage2025 = { tasks: Task2025[]; nextCursor?: string };

/** Lists one owner's tasks, newest first. */
export async function listTasks(
  { engine, tasks }: Pick<Call, "engine" | "tasks">,
  cursor: string | undefined,
): Promise<TaskPage2025> {
  const { tasks: listed, nextCursor } = await tasks.list({ limit: pageSize, cursor });
  const shown = listed.map(async (task) => {
    if (task.status !== "completed" || !isMirrored(engine, task.tool)) return summary2025(task);
    // A list does not say whether another server answered with an error.
    const view = await tasks.get(task.id).catch(() => undefined);
    return view === undefined ? summary2025(task) : task2025({ engine }, view);
  });
  return { tasks: await Promise.all(shown), nextCursor };
}

/**
 * Waits for a task's end and gives what its call would have been answered with. What the task asks meanwhile goes to
 * the user through this very request.
 *
 * Source: MCP 2025-11-25, Tasks, "Retrieving Task Results" and "Input Required Status".
 */
export async function taskResult(given: Call, taskId: string): Promise<ToolResult> {
  const begun = await given.tasks.get(taskId);
  await given.begun?.(taskId);
  // Progress stops where a task ends; what its client lost of it before comes again.
  const isOver = isFinal(begun.status) && !given.meta.redelivered;
  const call = isOver ? { ...given, meta: { ...given.meta, progressToken: undefined } } : given;
  for (;;) {
    const { reason, view } = await followCall(call, await call.tasks.get(taskId), undefined);
    if (reason === "finished") {
      carryResult(call, view);
      const result = answerOfTask(call, view);
      return { ...result, _meta: { ...result._meta, [relatedTaskKey]: { taskId } } };
    }
    if (reason === "left") throw new RpcError(rpcCodes.internalError, "The request was cancelled; the task continues.");
    // Paused, or asking a user whom this client cannot ask: another caller resumes or answers it.
    await nextEvent(call, taskId, view.record.lastSeq);
  }
}

/**
 * Gives what the call of a finished task is answered with.
 *
 * @throws {@link RpcError} what the tool threw, where that was a JSON-RPC error.
 */
export function answerOfTask(answerer: Answerer, view: TaskView): ToolResult {
  const { error } = view.record;
  const code = error === undefined ? undefined : readRpcCode(error);
  if (error !== undefined && code !== undefined) throw new RpcError(code, error.message);
  return finishedResult(answerer, view, false);
}

async function nextEvent({ tasks, signal }: Call, taskId: string, afterSeq: number): Promise<void> {
  for await (const _event of tasks.follow(taskId, { afterSeq, signal })) {
    const { status } = await tasks.get(taskId);
    if (isFinal(status) || (status !== "paused" && status !== "input_required")) return;
  }
}
