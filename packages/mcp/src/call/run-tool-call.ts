import { isFinal, isResumableError, type Json, type StartedTask, type Tool } from "@resumable-mcp/core";
import type { Call } from "./call.js";
import { present } from "./call-meta.js";
import { type CallEnding, followCall } from "./follow-call.js";
import { notificationOf } from "./journal-message.js";
import { finishedResult, pausedResult, questionResult, runningResult, type ToolResult } from "./tool-result.js";

/**
 * Carries out the call of a resumable tool: starts its task or attaches to it, tells the caller what happens, and
 * answers with the task's result, or with a result that says how to go on.
 *
 * Durability: the task exists durably before anything is told.
 * Retry: a delivery under the same call id finds the same task.
 * Cancellation: the caller's end stops the task at its next checkpoint, resumable, when nobody else waits for it.
 */
export async function runToolCall(call: Call, tool: Tool, input: Json): Promise<ToolResult> {
  const handoffMs = call.handoffAfterMs(tool.handoffAfterMs);
  const started = await beginTask(call, tool, input, handoffMs === 0 && !call.meta.attended);
  const joined = await joinTask(call, started);
  const ending = await followTask(joined, started.record.id, handoffMs);
  return resultOf(joined, ending, started.reused);
}

/**
 * A caller that comes to a task under way is told where it is, and then what comes: its progress does not begin at
 * nothing again. What was before stands in the journal.
 */
export async function joinTask<Joining extends Call>(
  call: Joining,
  { record, created }: StartedTask,
): Promise<Joining> {
  if (created || call.meta.redelivered || call.meta.afterSeq > 0 || record.progress === 0) return call;
  const { id: taskId, tool, lastSeq: seq, progress, total, message } = record;
  const notification = notificationOf(
    { kind: "progress", seq, progress, ...present("total", total), ...present("message", message) },
    { taskId, tool, progressToken: call.meta.progressToken },
  );
  if (notification !== undefined) await call.notify(notification);
  return { ...call, meta: { ...call.meta, afterSeq: seq } };
}

/** Follows a task for a caller, and notes how the caller left. */
export async function followTask(call: Call, taskId: string, handoffMs: number | undefined): Promise<CallEnding> {
  const leave = call.tasks.attend(taskId);
  let left: "cancelled" | "gone" = "gone";
  try {
    if (!call.meta.redelivered) await resumePaused(call, taskId);
    const ending = await followCall(call, taskId, handoffMs);
    if (ending.reason === "left") left = call.left();
    if (ending.reason === "timeout" && !call.meta.attended) await call.tasks.detach(taskId);
    return ending;
  } finally {
    leave(left);
  }
}

/** The end of an earlier caller may have stopped the task between this call's start and its attendance. */
async function resumePaused(call: Call, taskId: string): Promise<void> {
  const { status } = await call.tasks.get(taskId);
  if (status === "paused") await call.tasks.resume(taskId);
}

/** What a caller is answered when following its task ended. */
export function resultOf(call: Call, ending: CallEnding, reused: boolean): ToolResult {
  const { view } = ending;
  if (ending.reason === "finished") {
    call.carryResult(view.record.id);
    return finishedResult(call.engine, view, reused);
  }
  if (ending.reason === "paused") return pausedResult(view, call.controlToolName("resume_task"));
  if (ending.reason === "input_required") return questionResult(view, call.controlToolName("answer_task"));
  return runningResult(view, call.controlToolName("wait_for_task"));
}

/** Starts the task of a call, or attaches to the one that stands for it. */
export async function beginTask(call: Call, tool: Tool, input: Json, detached: boolean): Promise<StartedTask> {
  if (call.meta.redelivered) {
    const known = await findKnown(call);
    if (known !== undefined) return known;
  }
  return call.tasks.start({
    tool: tool.name,
    input,
    detached,
    ...present("session", call.sessionId),
    ...present("callId", call.meta.callId),
    ...present("newTask", call.meta.newTask),
  });
}

/** A call that was delivered before belongs to its task, even if that has finished or was paused meanwhile. */
async function findKnown(call: Call): Promise<StartedTask | undefined> {
  const taskId = call.meta.taskId ?? call.meta.callId;
  if (taskId === undefined) return undefined;
  try {
    const view = await call.tasks.get(taskId);
    const rests = isFinal(view.status) || view.status === "paused";
    return rests ? { ...view, created: false, reused: false } : undefined;
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
    throw error;
  }
}
