import { copyJson, type Json } from "../../json.js";
import type { StoreQuotas } from "../../limits.js";
import type { TaskEvent } from "../../task/task-event.js";
import { isFinal, type TaskRecord } from "../../task/task-record.js";
import type { Signal } from "../../task/task-snapshot.js";
import type { Lease, StoredDocument } from "../store.js";

/** One task as it lies in memory. Every value in it is frozen; fields are replaced, never changed inside. */
export interface MemoryTask {
  record: TaskRecord;
  /** What compaction folded away: the task as it was before the first of `events`. */
  base: TaskRecord | undefined;
  events: TaskEvent[];
  /** Bytes of all events as JSON; counted only where a quota asks for them. */
  bytes: number;
  items: Json[];
  signals: readonly Signal[];
  /** Keys of questions that were answered since the last restart from nothing. */
  answered: ReadonlySet<string>;
  /** The newest lease, until it is released. */
  holder: { readonly lease: Lease; readonly ttlMs: number } | undefined;
  /** The fencing number of the newest lease that ever was. */
  epoch: number;
}

/** A watcher and what wakes it. */
export interface Watcher {
  readonly taskId: string | undefined;
  readonly wake: () => void;
}

/** What all processes on the same data share. */
export interface Memory {
  readonly tasks: Map<string, MemoryTask>;
  /** Ids of the tasks that claimed an owner's key, the newest claim last. */
  readonly claims: Map<string, readonly string[]>;
  /** By kind and id. */
  readonly documents: Map<string, StoredDocument>;
  /** Heartbeats of each worker so far; a worker that is missing is known to be dead. */
  readonly heartbeats: Map<string, number>;
  readonly watchers: Set<Watcher>;
  /** Events that a journal keeps before it is compacted. */
  readonly maxEvents: number;
  readonly quotas: StoreQuotas;
  /** Whether bytes have to be counted. */
  readonly counts: boolean;
  lastEpoch: number;
  lastSignal: number;
}

/** Makes an empty memory. */
export function createMemory(maxEvents: number, quotas: StoreQuotas): Memory {
  return {
    tasks: new Map(),
    claims: new Map(),
    documents: new Map(),
    heartbeats: new Map(),
    watchers: new Set(),
    maxEvents,
    quotas,
    counts: quotas.maxJournalBytes < Number.POSITIVE_INFINITY || quotas.maxStoreBytes < Number.POSITIVE_INFINITY,
    lastEpoch: 0,
    lastSignal: 0,
  };
}

/** Copies a value that came from a caller and freezes the copy, so that neither side can change the other's. */
export function isolate<Value>(value: Value, what: string): Value {
  // The copy of a JSON value has the type of that value.
  return freeze(copyJson(value, what)) as Value;
}

function freeze(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

/** Freezes a folded record: its values are frozen already, the fold makes only these two objects again. */
export function freezeRecord(record: TaskRecord): TaskRecord {
  Object.freeze(record.remembered);
  return Object.freeze(record);
}

/** Tells those who watch a task, or any task, to look. */
export function wake(memory: Memory, taskId: string, change: "progress" | "runnable"): void {
  for (const watcher of memory.watchers) {
    const concerned = watcher.taskId === taskId || (watcher.taskId === undefined && change === "runnable");
    // Later, so that no watcher looks while the change is still being made.
    if (concerned) queueMicrotask(() => memory.watchers.has(watcher) && watcher.wake());
  }
}

interface Call {
  readonly id: string;
  readonly owner: string;
  readonly key: string | null;
}

/** Finds the task that claimed a call last. */
export function newestClaim(memory: Memory, { owner, key }: Call): MemoryTask | undefined {
  if (key === null) return undefined;
  const id = memory.claims.get(claimName(owner, key))?.at(-1);
  return id === undefined ? undefined : memory.tasks.get(id);
}

/** Finds another unfinished task of the same call. */
export function rivalOf(memory: Memory, call: Call): MemoryTask | undefined {
  const newest = newestClaim(memory, call);
  return newest === undefined || newest.record.id === call.id || isFinal(newest.record.status) ? undefined : newest;
}

/** Makes a task the newest of its call. */
export function claim(memory: Memory, call: Call): void {
  if (call.key === null) return;
  unclaim(memory, call);
  const name = claimName(call.owner, call.key);
  memory.claims.set(name, [...(memory.claims.get(name) ?? []), call.id]);
}

/** Forgets that a task ever stood for its call. */
export function unclaim(memory: Memory, { id, owner, key }: Call): void {
  if (key === null) return;
  const name = claimName(owner, key);
  const left = (memory.claims.get(name) ?? []).filter((other) => other !== id);
  if (left.length === 0) memory.claims.delete(name);
  else memory.claims.set(name, left);
}

function claimName(owner: string, key: string): string {
  return JSON.stringify([owner, key]);
}
