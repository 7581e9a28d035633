import { createHash } from "node:crypto";
import type { Json, TaskView, Tool } from "@resumable-mcp/core";
import { readDuration, type StartedTask } from "@resumable-mcp/core/engine";
import { type CallerHeaders, findUpstream } from "../define-server.js";
import { limits } from "../limits.js";
import { type Call, type CallMeta, findTask } from "./call.js";
import { type CallEnding, followCall } from "./follow-call.js";
import { latestAnswerMs } from "./host-limits.js";
import { toNotification } from "./journal-message.js";
import { carryResult } from "./result-delivered.js";
import { finishedResult, interimResult, type ToolResult, withAge } from "./tool-result.js";

/**
 * Carries out the call of a resumable tool: starts its task or joins it, reports what happens to the caller, and
 * answers with the task's result, or with a result that says how to go on.
 *
 * Durability: the task exists durably before the caller receives anything.
 * Retry: a delivery under the same call id finds the same task.
 * Cancellation: the caller's end stops the task at its next checkpoint, resumable, when no other caller waits for it.
 */
export async function runToolCall(call: Call, tool: Tool, input: Json): Promise<ToolResult> {
  const handoffMs = handoffMsFor(call, tool);
  const detached = handoffMs === 0 && !call.meta.callerStays;
  const started = (await knownTask(call)) ?? (await startTask(call, tool, input, detached));
  await call.begun?.(started.record.id);
  const ending = await followTask(call, started, handoffMs);
  return withAge(toResult(call, ending, started.reused), ending.view.record, started.reused);
}

/**
 * Decides after how many milliseconds a call is answered although its task continues; `undefined`: never.
 *
 * What the call asks for wins, then the server's option, then the table of hosts: a server cannot know who may wait. Where the
 * host's limit is known, a call is not answered earlier than it has to be, unless its tool says so: a result that comes in time
 * needs no second call.
 */
export function handoffMsFor(
  { meta, handoff, host = "" }: Pick<Call, "handoff" | "host"> & { readonly meta: Pick<CallMeta, "handoff"> },
  { handoffAfter }: Pick<Tool, "handoffAfter">,
): number | undefined {
  if (typeof meta.handoff === "number") return meta.handoff;
  const latestMs = latestAnswerMs(host);
  if (!(meta.handoff ?? handoff ?? latestMs !== undefined)) return undefined;
  return Math.min(
    readDuration(handoffAfter) ?? latestMs ?? limits.defaultHandoffAfterMs,
    latestMs ?? Number.POSITIVE_INFINITY,
  );
}

/** Starts the task of a call, or joins it. */
export async function startTask(
  { engine, tasks, era, sessionId: session, meta, headers }: Call,
  { name: tool }: Tool,
  input: Json,
  detached: boolean,
): Promise<StartedTask> {
  const { callId, acceptedMs, redelivered, trace } = meta;
  const upstream = findUpstream(engine);
  const passed = passedHeaders(upstream?.passes ?? [], headers);
  const newTask = passed === undefined ? meta.newTask : labelWith(meta.newTask, passed);
  const begun = upstream?.expect(tasks.owner, era, passed);
  let taskId: string | undefined;
  try {
    const request = { tool, input, detached, session, callId, acceptedMs, redelivered, newTask, trace };
    const started = await tasks.start(request);
    taskId = started.record.id;
    return started;
  } finally {
    begun?.(taskId);
  }
}

function passedHeaders(names: readonly string[], headers: unknown): CallerHeaders | undefined {
  if (names.length === 0 || headers === undefined) return undefined;
  const given = headers instanceof Headers ? Object.fromEntries(headers) : Object(headers);
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, String(given[name])]),
  );
}

/** What one caller's headers are answered is not for another's. */
function labelWith(newTask: CallMeta["newTask"], headers: CallerHeaders): CallMeta["newTask"] {
  if (newTask === true) return true;
  const hash = createHash("sha256").update(JSON.stringify(headers)).digest("base64url");
  return `${newTask === undefined || newTask === false ? "" : newTask} ${hash}`;
}

/**
 * The task of a call that was delivered before: also when it has finished or was paused meanwhile. One whose process died
 * runs again, by the caller that waits for it. One read.
 */
export async function knownTask({ meta, tasks }: Call): Promise<StartedTask | undefined> {
  const taskId = meta.redelivered ? (meta.taskId ?? meta.callId) : undefined;
  const view = taskId === undefined ? undefined : await findTask(tasks, taskId);
  return view && { ...view, created: false, reused: false };
}

/** Follows a task for a caller, and notes how the caller left. */
export async function followTask(
  given: Call,
  started: StartedTask,
  handoffMs: number | undefined,
): Promise<CallEnding> {
  const { id: taskId } = started.record;
  const call = await joinTask(given, started);
  const leave = call.tasks.addWaiter(taskId);
  const part = call.upstreamClient && findUpstream(call.engine)?.join(taskId, call.upstreamClient(taskId));
  let left: "cancelled" | "gone" = "gone";
  try {
    const isFresh = started.created || call.meta.redelivered;
    const begun = isFresh ? started : await resumePaused(call, taskId);
    const ending = await followCall(call, begun, canReturn(call, started) ? handoffMs : undefined);
    if (ending.reason === "left" && !outlivesConnection(call, started)) left = call.left();
    if (ending.reason === "timeout" && !call.meta.callerStays) await call.tasks.detach(taskId);
    return ending;
  } finally {
    part?.();
    leave(left);
  }
}

/** The call of another server's tool cannot be paused: a connection that breaks must not end it. */
function outlivesConnection({ endsWithConnection, engine }: Call, { record }: TaskView): boolean {
  const tool = engine.tools.find(({ name }) => name === record.tool);
  return endsWithConnection === true && tool?.mirrors !== undefined;
}

/** Without control tools only the same call returns to a task, and a task without a deduplication key has no such call. */
function canReturn({ prefix, meta }: Call, { record }: TaskView): boolean {
  return prefix !== undefined || record.key !== null || typeof meta.handoff === "number";
}

/**
 * A caller that joins a task under way receives its present progress, and then what comes: its progress does not begin at
 * nothing again. What was before stands in the journal.
 */
async function joinTask(call: Call, { record, created }: StartedTask): Promise<Call> {
  if (created || call.meta.redelivered || call.meta.afterSeq > 0 || record.progress === 0) return call;
  const { id: taskId, tool, lastSeq: seq, progress, total, message } = record;
  const notification = toNotification(
    { kind: "progress", seq, progress, total, message },
    { taskId, tool, progressToken: call.meta.progressToken },
  );
  if (notification !== undefined) await call.notify(notification);
  return { ...call, meta: { ...call.meta, afterSeq: seq, shownProgress: progress } };
}

/** The end of an earlier caller may have stopped the task between this call's start and the moment at which it waits. */
async function resumePaused(call: Call, taskId: string): Promise<TaskView> {
  const view = await call.tasks.get(taskId);
  return view.status === "paused" ? call.tasks.resume(taskId) : view;
}

/** What a caller is answered when following its task ended. */
export function toResult(call: Call, { reason, view }: CallEnding, reused: boolean): ToolResult {
  if (reason === "finished") {
    carryResult(call, view);
    return finishedResult(call, view, reused);
  }
  return interimResult(view, reason === "paused" || reason === "input_required" ? reason : "running", call.prefix);
}
