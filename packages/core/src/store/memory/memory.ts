import { copyJson, type Json, jsonBytes } from "../../json.js";
import type { StoreQuotas } from "../../limits.js";
import type { TaskEvent } from "../../task/task-event.js";
import { isFinal, type Signal, type TaskRecord } from "../../task/task-record.js";
import type { Lease, Offers, StoredDocument } from "../store.js";
import { leaseLost, taskNotFound, tooManyUnfinished } from "../store-errors.js";

/** One task as it lies in memory. Every value in it is frozen; fields are replaced, never changed inside. */
export interface MemoryTask {
  record: TaskRecord;
  /** What compaction folded away: the task as it was before the first of `events`. */
  base: TaskRecord | undefined;
  events: TaskEvent[];
  /** Bytes of all events as JSON; counted only where a quota asks for them. */
  bytes: number;
  items: Json[];
  /** Chunks of artifacts. */
  chunks: Map<string, Uint8Array[]>;
  signals: readonly Signal[];
  /** Keys of questions that were answered since the last restart from nothing. */
  answered: ReadonlySet<string>;
  /** The newest lease, until it is released. */
  holder: { readonly lease: Lease; readonly ttlMs: number } | undefined;
}

/** A watcher and what wakes it. */
export interface Watcher {
  readonly taskId: string | undefined;
  readonly wake: () => void;
}

interface Call {
  readonly id: string;
  readonly owner: string;
  readonly key: string | null;
}

/** What all processes on the same data share. */
export class Memory {
  readonly tasks = new Map<string, MemoryTask>();
  /** By kind and id. */
  readonly documents = new Map<string, StoredDocument>();
  /** By kind and id: the kind and group by which a document is counted. */
  readonly groups = new Map<string, string>();
  /** Heartbeats of each worker so far; a worker that is missing is known to be dead. */
  readonly heartbeats = new Map<string, number>();
  /** What workers offer. */
  readonly offers = new Map<string, Offers>();
  readonly watchers = new Set<Watcher>();
  /** Events that a journal keeps before it is compacted. */
  readonly maxEvents: number;
  readonly quotas: StoreQuotas;
  lastEpoch = 0;
  lastSignal = 0;
  /** Ids of the tasks that claimed an owner's key, the newest claim last. */
  readonly #claims = new Map<string, readonly string[]>();

  constructor(maxEvents: number, quotas: StoreQuotas) {
    this.maxEvents = maxEvents;
    this.quotas = quotas;
  }

  /** Finds a task. */
  require(taskId: string): MemoryTask {
    const task = this.tasks.get(taskId);
    if (task === undefined) throw taskNotFound(taskId);
    return task;
  }

  /** Finds the task that a lease gives the right to write. */
  requireHolder(lease: Lease): MemoryTask {
    const task = this.require(lease.taskId);
    if (task.holder?.lease.epoch !== lease.epoch) throw leaseLost(lease);
    return task;
  }

  /** Tells those who watch a task, or any task, to look. */
  wake(taskId: string, change: "progress" | "runnable"): void {
    for (const watcher of this.watchers) {
      const concerned = watcher.taskId === taskId || (watcher.taskId === undefined && change === "runnable");
      // Later, so that no watcher looks while the change is still being made.
      if (concerned) queueMicrotask(() => this.watchers.has(watcher) && watcher.wake());
    }
  }

  /** Finds the task that claimed a call last. */
  newestClaim({ owner, key }: Call): MemoryTask | undefined {
    const id = key === null ? undefined : this.#claims.get(JSON.stringify([owner, key]))?.at(-1);
    return id === undefined ? undefined : this.tasks.get(id);
  }

  /** Finds another unfinished task of the same call. */
  rivalOf(call: Call): MemoryTask | undefined {
    const newest = this.newestClaim(call);
    return newest === undefined || newest.record.id === call.id || isFinal(newest.record.status) ? undefined : newest;
  }

  /** Makes a task the newest of its call, or forgets that it ever belonged to it. */
  claim({ id, owner, key }: Call, claims = true): void {
    if (key === null) return;
    const name = JSON.stringify([owner, key]);
    const others = (this.#claims.get(name) ?? []).filter((other) => other !== id);
    if (claims) this.#claims.set(name, [...others, id]);
    else if (others.length > 0) this.#claims.set(name, others);
    else this.#claims.delete(name);
  }

  /** @throws {@link ResumableError} `LIMIT_EXCEEDED` when an owner has so many unfinished tasks. */
  checkUnfinished(owner: string, maxUnfinished = Number.POSITIVE_INFINITY): void {
    if (this.tasks.size < maxUnfinished) return;
    const isCounted = ({ record }: MemoryTask) => record.owner === owner && !isFinal(record.status);
    const count = [...this.tasks.values()].filter(isCounted).length;
    if (count >= maxUnfinished) throw tooManyUnfinished(maxUnfinished);
  }

  /** Bytes of all journals, as far as they are counted. */
  get bytes(): number {
    if (this.quotas.maxStoreBytes === Number.POSITIVE_INFINITY) return 0;
    return [...this.tasks.values()].reduce((sum, task) => sum + task.bytes + chunkBytes(task), 0);
  }

  /** The size of events as JSON: counted only where a quota asks for it, else 0. */
  bytesOf(events: readonly TaskEvent[]): number {
    const { maxJournalBytes, maxStoreBytes } = this.quotas;
    return Math.min(maxJournalBytes, maxStoreBytes) < Number.POSITIVE_INFINITY
      ? jsonBytes(copyJson(events, "events"))
      : 0;
  }
}

function chunkBytes({ chunks }: MemoryTask): number {
  return [...chunks.values()].flat().reduce((sum, chunk) => sum + chunk.byteLength, 0);
}
