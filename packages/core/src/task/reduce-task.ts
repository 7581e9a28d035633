import { ResumableError } from "../errors.js";
import { rememberedCall, withoutFailures } from "./calls.js";
import { copyPlain, type Draft } from "./plain-record.js";
import type { TaskEvent } from "./task-event.js";
import {
  findEntry,
  onlyWaits,
  openQuestions,
  type Remembered,
  type TaskRecord,
  type TaskStatus,
} from "./task-record.js";

/**
 * Folds events into a task's record: the one place that says what an event means. Pure; the record given is not changed.
 * The result is frozen, with all of it that does not come from the events or the record as it is.
 *
 * Ordering: the first event of a journal is `created`, and each event's seq follows the one before.
 *
 * @param isPlain the record has no fields but those of this version (`isPlainRecord`), which is faster.
 * @throws {@link ResumableError} `SEQ_CONFLICT` for an event out of order.
 */
export function reduceTask(record: TaskRecord | undefined, events: readonly TaskEvent[], isPlain = false): TaskRecord {
  const first = events[0];
  const before = record ?? begin(first);
  const draft: Draft = isPlain ? copyPlain(before) : Object.assign(copyPlain(before), before);
  const rest = record === undefined ? events.slice(1) : events;
  let ownsRemembered = false;
  for (const event of rest) {
    if (event.seq !== draft.lastSeq + 1) throw outOfOrder(draft.id, draft.lastSeq + 1, event.seq);
    draft.lastSeq = event.seq;
    draft.updatedAt = event.at;
    const entry = rememberedBy(draft, event);
    if (entry !== undefined) {
      if (!ownsRemembered) draft.remembered = { ...draft.remembered };
      ownsRemembered = true;
      setKey(draft.remembered, entry.key, Object.freeze(entry.value));
    }
    apply(draft, event);
  }
  draft.status = derivedStatus(draft, draft.live, asksAfter(record, rest, draft));
  Object.freeze(draft.remembered);
  return Object.freeze(draft);
}

/** Whether a question is open. Looked up among all that is remembered only where these events may have changed it. */
function asksAfter(before: TaskRecord | undefined, events: readonly TaskEvent[], after: TaskRecord): boolean {
  const same = !events.some(({ type }) => type === "asked" || type === "answered" || type === "restarted");
  if (same && before?.status === "running") return false;
  if (same && before?.status === "input_required") return true;
  return openQuestions(after).length > 0;
}

/** The status that a task has when its lease is or is not held by a live worker, and when it asks or does not. */
export function derivedStatus(record: TaskRecord, live: boolean, asks: boolean): TaskStatus {
  if (record.finishedAt !== undefined) return record.status;
  if (!live && record.desiredState === "pause") return "paused";
  if (asks) return "input_required";
  return live ? "running" : "pending";
}

function begin(event: TaskEvent | undefined): Draft {
  if (event?.type !== "created" || event.seq !== 1) throw outOfOrder("?", 1, event?.seq ?? 0);
  return {
    ...event.task,
    status: "pending",
    desiredState: "run",
    generation: 1,
    attempt: 0,
    live: false,
    progressed: false,
    crashes: 0,
    failures: 0,
    progress: 0,
    itemCount: 0,
    itemBytes: 0,
    itemsFromSeq: 1,
    remembered: {},
    createdAt: event.at,
    updatedAt: event.at,
    lastSeq: 1,
  };
}

function rememberedBy(draft: Draft, event: TaskEvent): { key: string; value: Remembered } | undefined {
  switch (event.type) {
    case "step":
      return { key: event.key, value: { kind: "step", value: event.value } };
    case "step_failed": {
      const { key, attempt, error, until } = event;
      return { key, value: { kind: "failed_step", attempt, error, ...(until !== undefined && { until }) } };
    }
    case "checkpoint": {
      if (event.map === undefined) return undefined;
      const { key, ...map } = event.map;
      return { key, value: { kind: "map", ...map } };
    }
    case "artifact": {
      const { key, artifact, mimeType, bytes } = event;
      return { key, value: { kind: "artifact", artifact, mimeType, bytes } };
    }
    case "sleep":
      return { key: event.key, value: { kind: "sleep", until: event.until } };
    case "asked":
      return { key: event.key, value: { kind: "question", question: event.question } };
    case "answered": {
      const entry = findEntry(draft, event.key);
      if (entry?.kind !== "question") return undefined;
      return { key: event.key, value: { kind: "answer", question: entry.question, answer: event.answer } };
    }
    default:
      return rememberedCall(draft, event);
  }
}

function apply(draft: Draft, event: TaskEvent): void {
  switch (event.type) {
    case "created":
      throw outOfOrder(draft.id, draft.lastSeq, event.seq);
    case "attempt_started":
      begun(draft, event);
      return;
    case "attempt_ended":
      ended(draft, event);
      return;
    case "checkpoint":
      progressed(draft);
      checkpoint(draft, event);
      return;
    case "step":
    case "returned":
    case "artifact":
      progressed(draft);
      return;
    case "answered":
      progressed(draft);
      mayContinue(draft, event.at);
      return;
    case "desiredState":
      draft.desiredState = event.desiredState;
      if (event.desiredState === "run") mayContinue(draft, event.at);
      return;
    case "detached":
      draft.detached = true;
      return;
    case "restarted":
      restart(draft, event);
      mayContinue(draft, event.at);
      return;
    case "refused":
      refused(draft, event);
      return;
    case "assigned":
      draft.toolVersion = event.toolVersion;
      draft.stateShape = undefined;
      endRefusal(draft);
      return;
    case "completed":
    case "failed":
    case "cancelled":
      finish(draft, event);
      return;
    case "sleep":
    case "asked":
    case "called":
    case "waiting":
      draft.waitsFor = event.type === "waiting" ? event.keys : Object.freeze([...(draft.waitsFor ?? []), event.key]);
      return;
    case "step_failed":
    case "call_failed":
    case "log":
      return;
  }
}

function ended(draft: Draft, event: Extract<TaskEvent, { type: "attempt_ended" }>): void {
  draft.live = false;
  if (event.reason === "crashed" && !draft.progressed) countDeath(draft);
  if (event.reason === "retry") {
    draft.failures += 1;
    draft.remembered = withoutFailures(draft.remembered, event.at);
  }
  draft.waitsFor = undefined;
  draft.worker = undefined;
  draft.runnableAt = event.runnableAt;
}

function begun(draft: Draft, event: Extract<TaskEvent, { type: "attempt_started" }>): void {
  endRefusal(draft);
  draft.attempt = event.attempt;
  draft.toolVersion = event.toolVersion;
  draft.stateShape = event.stateShape;
  draft.live = true;
  draft.progressed = false;
  draft.worker = event.worker;
  draft.startedAt ??= event.at;
  draft.waitsFor = undefined;
  draft.runnableAt = undefined;
}

function refused(
  draft: Draft,
  { by, message, toolVersion, stateShape }: Extract<TaskEvent, { type: "refused" }>,
): void {
  // Of several refusals the first one hid the tool's message.
  draft.refused = Object.freeze({ by, message: draft.refused === undefined ? draft.message : draft.refused.message });
  draft.message = message;
  draft.toolVersion = toolVersion;
  draft.stateShape = stateShape;
}

function checkpoint(draft: Draft, event: Extract<TaskEvent, { type: "checkpoint" }>): void {
  draft.progress = event.progress ?? draft.progress;
  if (event.total !== undefined) draft.total = event.total;
  if (event.message !== undefined) draft.message = event.message;
  if (event.state !== undefined) {
    draft.state = event.state;
    draft.stateVersion = draft.toolVersion;
  }
  draft.itemCount += event.items?.length ?? 0;
  draft.itemBytes += event.itemBytes ?? 0;
}

function progressed(draft: Draft): void {
  draft.progressed = true;
  draft.crashes = 0;
  draft.failures = 0;
  draft.crashedIn = undefined;
  draft.deathsInWaits = undefined;
  draft.waitsFor = undefined;
}

/**
 * Whatever the task waited for, it can continue now. Where a question is open it says so: without a time, the task would wait
 * for its answer.
 */
function mayContinue(draft: Draft, at: string): void {
  if (!draft.live) draft.runnableAt = openQuestions(draft).length > 0 ? at : undefined;
}

/** The tool's own message comes back. */
function endRefusal(draft: Draft): void {
  if (draft.refused === undefined) return;
  draft.message = draft.refused.message;
  draft.refused = undefined;
}

/** A death while the attempt only waits says nothing about its tool, and is counted apart. */
function countDeath(draft: Draft): void {
  if (onlyWaits(draft)) {
    draft.deathsInWaits = (draft.deathsInWaits ?? 0) + 1;
    return;
  }
  draft.crashes += 1;
  draft.crashedIn = Object.freeze([...(draft.crashedIn ?? []), draft.worker ?? draft.id]);
}

function finish(draft: Draft, event: Extract<TaskEvent, { type: "completed" | "failed" | "cancelled" }>): void {
  endRefusal(draft);
  draft.status = event.type;
  draft.live = false;
  draft.finishedAt = event.at;
  if (event.type === "completed") draft.output = event.output;
  if (event.type === "failed") draft.error = event.error;
  draft.runnableAt = undefined;
  draft.waitsFor = undefined;
  draft.worker = undefined;
}

function restart(draft: Draft, event: Extract<TaskEvent, { type: "restarted" }>): void {
  endRefusal(draft);
  draft.generation = event.generation;
  draft.live = false;
  draft.desiredState = "run";
  progressed(draft);
  draft.finishedAt = undefined;
  draft.output = undefined;
  draft.error = undefined;
  if (event.fromState) {
    draft.remembered = withoutFailures(draft.remembered, event.at);
    return;
  }
  draft.state = undefined;
  draft.stateVersion = undefined;
  draft.total = undefined;
  draft.message = undefined;
  draft.progress = 0;
  draft.remembered = {};
  draft.itemCount = 0;
  draft.itemBytes = 0;
  draft.itemsFromSeq = draft.lastSeq;
}

/** Keys come from tool code: a plain assignment of "__proto__" would set the prototype. */
function setKey(target: Draft["remembered"], key: string, value: Remembered): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

function outOfOrder(taskId: string, expected: number, actual: number): ResumableError {
  return new ResumableError(
    "SEQ_CONFLICT",
    `Task ${taskId} has event ${actual} in the place of event ${expected}. The journal is damaged or was written by two writers.`,
    { details: { taskId, expected, actual } },
  );
}
