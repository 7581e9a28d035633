import { derivedStatus } from "./reduce-task.js";
import type { TaskEventBody } from "./task-event.js";
import {
  findEntry,
  isFinal,
  openQuestions,
  type Signal,
  type TaskRecord,
  type TaskSnapshot,
  type TaskStatus,
} from "./task-record.js";

/** The status of a task as a caller should see it: a task whose process died does not run. */
export function readStatus(snapshot: TaskSnapshot): TaskStatus {
  const { record } = snapshot;
  if (isFinal(record.status)) return record.status;
  const live = record.live && snapshot.leased;
  return derivedStatus(
    { ...record, desiredState: readDesiredState(snapshot) },
    live,
    unansweredQuestions(snapshot).length > 0,
  );
}

/** The questions that wait for an answer: not those whose answer is on its way to the task. */
export function unansweredQuestions({ record, signals }: TaskSnapshot): ReturnType<typeof openQuestions> {
  const given = new Set(signals.flatMap((signal) => (signal.kind === "answer" ? [signal.key] : [])));
  return openQuestions(record).filter(({ key }) => !given.has(key));
}

/** What the owner wants, including a request that was not carried out yet. */
export function readDesiredState({ record, signals }: TaskSnapshot): "run" | "pause" {
  return requestedState(signals)?.desiredState ?? record.desiredState;
}

/** What carries out the request to pause or to run among some signals, if there is one. */
export function requestedState(
  signals: readonly Signal[],
): Extract<TaskEventBody, { type: "desiredState" }> | undefined {
  const request = signals.findLast((signal) => signal.kind === "pause" || signal.kind === "resume");
  if (request?.kind !== "pause") return request && { type: "desiredState", desiredState: "run" };
  const { cause } = request;
  return { type: "desiredState", desiredState: "pause", ...(cause !== undefined && { cause }) };
}

/** The attempt that was running died with its process, and no other process has taken the task over yet. */
export function isOrphan(snapshot: TaskSnapshot): boolean {
  return snapshot.record.live && !snapshot.leased;
}

/**
 * When a task may be run by a worker that looks for work: wall clock in milliseconds, 0 for at once, `undefined` for
 * not before something happens to it. Used by every store's `listRunnable`.
 */
export function dueMs(snapshot: TaskSnapshot): number | undefined {
  const { record, signals } = snapshot;
  if (isFinal(record.status) || snapshot.leased) return undefined;
  const has = (kind: TaskSnapshot["signals"][number]["kind"]) => signals.some((signal) => signal.kind === kind);
  if (has("cancel")) return 0;
  if (readDesiredState(snapshot) === "pause") return has("pause") ? 0 : undefined;
  if (has("resume") || has("answer") || has("offer")) return 0;
  if (record.live) return 0;
  if (record.runnableAt !== undefined) return Date.parse(record.runnableAt);
  return openQuestions(record).length > 0 ? undefined : 0;
}

/** What carries out the answers among some signals: those to questions that are still open. */
export function answeredBy(
  record: TaskRecord,
  signals: readonly Signal[],
): readonly Extract<TaskEventBody, { type: "answered" }>[] {
  return signals.flatMap((signal) =>
    signal.kind === "answer" && findEntry(record, signal.key)?.kind === "question"
      ? [{ type: "answered", key: signal.key, answer: signal.answer }]
      : [],
  );
}

/** Tells whether a worker that looks for work may run a task now. */
export function isRunnable(snapshot: TaskSnapshot, nowMs: number): boolean {
  const due = dueMs(snapshot);
  return due !== undefined && due <= nowMs;
}

/** Tells whether a task needs no caller to run: it is detached, or a request waits for the process that takes it. */
export function needsNoCaller({ record, signals }: TaskSnapshot): boolean {
  return record.detached || signals.some(({ kind }) => kind !== "delivered" && kind !== "undelivered");
}

/**
 * Tells whether the same call gets this finished task instead of a new run: its result was not delivered and is young, or
 * the call was accepted before the task finished, and would have joined it then.
 *
 * @param reuse as in `Store.createTask`.
 */
export function isReusable(
  snapshot: TaskSnapshot,
  { reuseResultMs, acceptedMs }: { readonly reuseResultMs: number; readonly acceptedMs?: number | undefined },
  nowMs: number,
): boolean {
  const { record } = snapshot;
  if (record.status !== "completed" || record.finishedAt === undefined) return false;
  const finishedMs = Date.parse(record.finishedAt);
  if (acceptedMs !== undefined && finishedMs > acceptedMs) return true;
  return !isDelivered(snapshot) && finishedMs + reuseResultMs > nowMs;
}

/** Tells whether the result of a task reached its caller, and nothing withdrew that since. */
export function isDelivered({ signals }: Pick<TaskSnapshot, "signals">): boolean {
  const said = signals.findLast(({ kind }) => kind === "delivered" || kind === "undelivered");
  return said?.kind === "delivered";
}

/** Tells whether the same call may continue this failed task from its last checkpoint instead of beginning a new one. */
export function isContinuable({ status, error }: TaskSnapshot["record"]): boolean {
  return status === "failed" && error?.terminal !== true;
}

/** Tells whether a finished task has been kept long enough. */
export function isExpired(record: Pick<TaskSnapshot["record"], "finishedAt" | "ttlMs">, nowMs: number): boolean {
  return record.finishedAt !== undefined && Date.parse(record.finishedAt) + record.ttlMs <= nowMs;
}
