import { isResumableError, type Json, type StartedTask, type TaskView, type Tool } from "@resumable-mcp/core";
import type { Call } from "./call.js";
import { type CallEnding, followCall } from "./follow-call.js";
import { notificationOf } from "./journal-message.js";
import { finishedResult, pausedResult, questionResult, runningResult, type ToolResult } from "./tool-result.js";

/**
 * Carries out the call of a resumable tool: starts its task or joins it, reports what happens to the caller, and
 * answers with the task's result, or with a result that says how to go on.
 *
 * Durability: the task exists durably before the caller receives anything.
 * Retry: a delivery under the same call id finds the same task.
 * Cancellation: the caller's end stops the task at its next checkpoint, resumable, when no other caller waits for it.
 */
export async function runToolCall(call: Call, tool: Tool, input: Json): Promise<ToolResult> {
  const handoffMs = call.handoffAfterMs(tool.handoffAfterMs);
  const started = await beginTask(call, tool, input, handoffMs === 0 && !call.meta.callerStays);
  const joined = await joinTask(call, started);
  const ending = await followTask(joined, started, handoffMs);
  return resultOf(joined, ending, started.reused);
}

/**
 * A caller that joins a task under way receives its present progress, and then what comes: its progress does not begin at
 * nothing again. What was before stands in the journal.
 */
export async function joinTask<Joining extends Call>(
  call: Joining,
  { record, created }: StartedTask,
): Promise<Joining> {
  if (created || call.meta.redelivered || call.meta.afterSeq > 0 || record.progress === 0) return call;
  const { id: taskId, tool, lastSeq: seq, progress, total, message } = record;
  const notification = notificationOf(
    { kind: "progress", seq, progress, total, message },
    { taskId, tool, progressToken: call.meta.progressToken },
  );
  if (notification !== undefined) await call.notify(notification);
  return { ...call, meta: { ...call.meta, afterSeq: seq } };
}

/** Follows a task for a caller, and notes how the caller left. */
export async function followTask(call: Call, started: StartedTask, handoffMs: number | undefined): Promise<CallEnding> {
  const { id: taskId } = started.record;
  const leave = call.tasks.addWaiter(taskId);
  let left: "cancelled" | "gone" = "gone";
  try {
    const isFresh = started.created || call.meta.redelivered;
    const begun = isFresh ? started : await resumePaused(call, taskId);
    const ending = await followCall(call, begun, handoffMs);
    if (ending.reason === "left") left = call.left();
    if (ending.reason === "timeout" && !call.meta.callerStays) await call.tasks.detach(taskId);
    return ending;
  } finally {
    leave(left);
  }
}

/** The end of an earlier caller may have stopped the task between this call's start and the moment at which it waits. */
async function resumePaused(call: Call, taskId: string): Promise<TaskView> {
  const view = await call.tasks.get(taskId);
  return view.status === "paused" ? call.tasks.resume(taskId) : view;
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

/** Starts the task of a call, or joins the one that the same call began. */
export async function beginTask(call: Call, tool: Tool, input: Json, detached: boolean): Promise<StartedTask> {
  const { redelivered, taskId, callId, newTask } = call.meta;
  const known = redelivered ? (taskId ?? callId) : undefined;
  return (
    (known === undefined ? undefined : await resumeCall(call, known)) ??
    call.tasks.start({ tool: tool.name, input, detached, session: call.sessionId, callId, newTask })
  );
}

/**
 * A call that was delivered before belongs to its task, also when that has finished or was paused meanwhile. One whose
 * process died runs again, by the caller that waits for it. One read.
 */
async function resumeCall({ tasks }: Call, taskId: string): Promise<StartedTask | undefined> {
  try {
    return { ...(await tasks.get(taskId)), created: false, reused: false };
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
    throw error;
  }
}
