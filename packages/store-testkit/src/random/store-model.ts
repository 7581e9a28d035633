import { isFinal, type Json, type Store, type TaskRecord } from "@resumable-mcp/core";
import {
  type Instant,
  isReusable,
  type Lease,
  type NewSignal,
  type NewTask,
  reduceTask,
  type TaskEvent,
  type TaskEventBody,
} from "@resumable-mcp/core/store";

/** A task of the model. */
export interface ModelTask {
  readonly task: NewTask;
  readonly events: readonly TaskEvent[];
  readonly signals: readonly NewSignal[];
  readonly answered: readonly string[];
  readonly lease: Lease | undefined;
  /** Grows with every claim of a key. */
  readonly claim: number;
}

/** All tasks by id: what a store should hold, written down as plainly as possible. */
export type StoreModel = ReadonlyMap<string, ModelTask>;

/** The record of a task of the model. */
export function toRecord(task: ModelTask): TaskRecord {
  return reduceTask(undefined, task.events);
}

/** The items of a task of the model. */
export function readItems(task: ModelTask): readonly Json[] {
  const { itemsFromSeq } = toRecord(task);
  return task.events.flatMap((event) =>
    event.type === "checkpoint" && event.seq >= itemsFromSeq ? (event.items ?? []) : [],
  );
}

/** The existing task of the same call as a new one, if there is one. */
export function standIn(model: StoreModel, request: Parameters<Store["createTask"]>[0]): string | undefined {
  const { task, now } = request;
  if (task.key === null) return undefined;
  const newest = [...model.values()]
    .filter((other) => other.task.owner === task.owner && other.task.key === task.key)
    .sort((left, right) => right.claim - left.claim)[0];
  if (newest === undefined) return undefined;
  const record = toRecord(newest);
  const signals = newest.signals.map((signal) => ({ ...signal, id: "" }));
  const stands = !isFinal(record.status) || isReusable({ record, signals, leased: false }, request, now.wallMs);
  return stands ? newest.task.id : undefined;
}

/** What the model says of a commit. */
export function judgeCommit(model: StoreModel, lease: Lease, afterSeq: number, bodies: readonly TaskEventBody[]) {
  const task = model.get(lease.taskId);
  if (task === undefined) return ["TASK_NOT_FOUND", "LEASE_LOST"] as const;
  if (task.lease?.epoch !== lease.epoch) return ["LEASE_LOST"] as const;
  if (task.events.length !== afterSeq) return ["SEQ_CONFLICT"] as const;
  const restarts = isFinal(toRecord(task).status) && bodies.some(({ type }) => type === "restarted");
  const rival = [...model.values()].some(
    (other) =>
      other !== task &&
      other.task.key !== null &&
      other.task.key === task.task.key &&
      other.task.owner === task.task.owner &&
      !isFinal(toRecord(other).status),
  );
  return restarts && rival ? (["KEY_TAKEN"] as const) : (["ok"] as const);
}

/** A task after a commit that was judged `ok`; `kept` are the signals that it left. */
export function afterCommit(
  task: ModelTask,
  bodies: readonly TaskEventBody[],
  kept: readonly NewSignal[],
  now: Instant,
  claim: number,
): ModelTask {
  const at = new Date(now.wallMs).toISOString();
  const events = bodies.map((body, index) => ({ ...body, seq: task.events.length + 1 + index, at }));
  const restart = bodies.find((body) => body.type === "restarted");
  return {
    ...task,
    events: [...task.events, ...events],
    signals: kept,
    claim: restart !== undefined && isFinal(toRecord(task).status) ? claim : task.claim,
    answered: restart?.fromState === false ? [] : task.answered,
  };
}

/** A task after a signal, or `undefined` when it is refused as a second answer. */
export function afterSignal(task: ModelTask, signal: NewSignal): ModelTask | undefined {
  const { signals, answered } = task;
  if (signal.kind === "answer") {
    if (answered.includes(signal.key)) return undefined;
    return { ...task, signals: [...signals, signal], answered: [...answered, signal.key] };
  }
  const sides = [["pause", "resume"] as const, ["delivered", "undelivered"] as const];
  const value: readonly string[] | undefined = sides.find((pair) => pair.some((kind) => kind === signal.kind));
  if (value !== undefined)
    return { ...task, signals: [...signals.filter(({ kind }) => !value.includes(kind)), signal] };
  return signals.some(({ kind }) => kind === signal.kind) ? task : { ...task, signals: [...signals, signal] };
}
