import type { Json } from "../json.js";
import type { NewTask, TaskEvent, TaskEventBody } from "../task/task-event.js";
import type { NewSignal, Signal, TaskRecord, TaskSnapshot, TaskStatus, TaskSummary } from "../task/task-record.js";

/** A reading of the caller's clocks. Stores never read a clock of their own. */
export interface Instant {
  /** Milliseconds since 1970 UTC: for what is recorded and for `runnableAt`. It may jump. */
  readonly wallMs: number;
  /** Milliseconds since an arbitrary moment of this process; never jumps: for leases. */
  readonly monotonicMs: number;
}

/** The version of the store contract that this package defines. */
export const contractVersion = 1;

/** What a store can do beyond the contract; the testkit verifies what is declared. */
export interface StoreCapabilities {
  /** What a resolved commit survives: nothing, the death of the process, or the loss of power. */
  readonly durability: "none" | "process" | "machine";
  /** Several processes may use it at once. */
  readonly shared: boolean;
}

/** The right to write one task's journal, until it is released or a worker with a higher epoch takes over. */
export interface Lease {
  readonly taskId: string;
  readonly worker: string;
  /** The fencing number: each lease of a task has a higher one than every lease before. */
  readonly epoch: number;
}

/** One tool as a worker offers it: which tasks of other versions its code continues. */
export interface ToolOffer {
  readonly version: string;
  /** The other versions whose tasks it continues; `*` is any. */
  readonly accepts?: readonly string[];
  /** The shape of its first state. */
  readonly stateShape?: string;
}

/** What a worker offers, by the name of the tool. */
export type Offers = { readonly [tool: string]: ToolOffer };

/** What a worker published. */
export interface WorkerOffers {
  /** The name by which it takes leases. */
  readonly worker: string;
  readonly offers: Offers;
}

/** Which tasks to list. Absent fields match everything. */
export interface TaskQuery {
  readonly owner?: string;
  readonly statuses?: readonly TaskStatus[];
  readonly tool?: string;
  /** At most this many; 1 to 1000. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** What a list still knows of a task that cannot be read any more. */
export interface DamagedTask extends TaskSummary {
  /** What is wrong, and what an operator does about it: a sentence without a full stop. */
  readonly damage: string;
}

/** A page of tasks, newest first by creation time, then by id. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[];
  /**
   * Present when tasks of this page cannot be read any more (`TASK_CORRUPT`). Those that a store has set aside count for no
   * status, and for nothing in `countTasks`.
   */
  readonly damaged?: readonly DamagedTask[];
  /** Present when there are more. */
  readonly nextCursor?: string;
}

/** A task that a worker may run now. */
export interface RunnableTask {
  readonly id: string;
  readonly owner: string;
  readonly tool: string;
  readonly toolVersion: string;
  /** What the pure function `dueMs` says of it: 0, or its `runnableAt` by the wall clock in milliseconds. */
  readonly dueMs: number;
  /** How many processes died while it ran, since its last progress. */
  readonly crashes: number;
  /** It needs no caller (see the pure function `needsNoCaller`); for any other task the engine gives callers time to return. */
  readonly detached: boolean;
}

/** A part of a journal. */
export interface EventPage {
  /**
   * Present only when the cursor is older than what compaction kept: the task as it was at `snapshot.lastSeq`,
   * in place of the events up to there.
   */
  readonly snapshot?: TaskRecord;
  /** In order, without a gap, directly after the cursor or after the snapshot. */
  readonly events: readonly TaskEvent[];
  /** Seq of the newest event of the journal. */
  readonly lastSeq: number;
}

/** A part of what a task's checkpoints appended since it began or last restarted from nothing. */
export interface ItemPage {
  readonly items: readonly Json[];
  /** Index after the last item of this page. */
  readonly next: number;
  /** How many there are by now. */
  readonly total: number;
}

/** Which tasks to count. Absent fields match everything. */
export interface CountQuery {
  readonly owner?: string;
  /** Only those that are not finished; what it costs does not grow with what has finished. */
  readonly unfinished?: true;
}

/** How many tasks there are. */
export interface TaskCounts {
  readonly total: number;
  readonly byStatus: { readonly [Status in TaskStatus]?: number };
  readonly byTool: { readonly [tool: string]: number };
}

/**
 * A value that servers keep across restarts: a session of the 2025 era, a stream of events, a key.
 *
 * Kinds are apart: each has its own ids, and the user of a kind decides when its documents expire.
 */
export interface StoredDocument {
  /** What it is for: 1 to 32 characters out of `a-z` and `-`. */
  readonly kind: string;
  readonly id: string;
  /** Whose it is, tagged like a task's owner. */
  readonly owner: string;
  readonly value: Json;
  /** A whole number above 0, higher with every put. A store that can lose puts after it acknowledged them gives no version twice. */
  readonly version: number;
  /** ISO 8601 UTC: when it was last put. */
  readonly updatedAt: string;
}

/** A document without its value, as lists have it. */
export type DocumentSummary = Omit<StoredDocument, "value">;

/** A quota of a store: of its tasks, what is used; of its disk, what is free, and how much of that is kept free. */
export type QuotaUse =
  | { readonly quota: string; readonly limit: number; readonly used: number }
  | { readonly quota: string; readonly free: number; readonly kept: number };

/** Documents of one kind that are counted together, by all processes: those that were made with this `group`. */
export interface CountedGroup {
  readonly group: string;
  /** How many there may be, the new one included. */
  readonly max: number;
  /** The name of that limit, for the error. */
  readonly limit: string;
}

/**
 * Where journals live.
 *
 * Every method may be called at any time and concurrently. A promise that resolved has taken effect for every later
 * call, in every process. Records, events and values that a store returns are never changed by it afterwards.
 *
 * @throws {@link ResumableError} `STORE_CLOSED` from every method after `close()`; `STORE_READ_FAILED` and
 * `STORE_WRITE_FAILED` for what the machine refuses; `TASK_CORRUPT` and `DOCUMENT_UNREADABLE` for what cannot be read of one task or document;
 * `TASK_NOT_FOUND` where a task is named that does not exist.
 */
export interface Store {
  /** The version of this contract that the store keeps. An engine refuses any other with `STORE_CONTRACT`. */
  readonly contractVersion: typeof contractVersion;
  readonly capabilities: StoreCapabilities;

  /**
   * Makes the store ready, or rejects with the error that calls get while it cannot be used. Safe to repeat. A server
   * calls it before it takes requests; every other method opens the store by itself where nothing has opened it.
   */
  open(): Promise<void>;

  /**
   * Makes a task, or finds the existing one of the same call.
   *
   * - A task with this id exists: it is returned, whatever its status (`created: false`).
   * - Otherwise, with a key: if the newest task of this owner and key (the last that claimed it) is unfinished, or
   *   `isReusable` says so of it (see the pure function of that name), it is returned.
   * - Otherwise, with `continueFailed`: if `isContinuable` says so of that newest task, it is returned as it is, failed.
   *   The caller restarts it; of several, one can.
   * - Otherwise the task is made, durably, with its first event (`created: true`).
   *
   * There is never more than one unfinished task for an owner and key, also across processes.
   *
   * @throws {@link ResumableError} where a task would have to be made: `QUOTA_EXCEEDED` when the store is full,
   * `LIMIT_EXCEEDED` when the owner has `maxUnfinished` unfinished tasks.
   */
  createTask(request: {
    readonly task: NewTask;
    /** Reuse a completed, undelivered task that finished at most this long ago, in milliseconds. */
    readonly reuseResultMs: number;
    /**
     * The call was accepted at this time, in milliseconds of the wall clock: reuse also a completed task that finished later,
     * whether it was delivered or not, and however long ago. Default: no such task.
     */
    readonly acceptedMs?: number | undefined;
    /** The call continues a failed task. Default false. */
    readonly continueFailed?: boolean;
    /** Unfinished tasks that the owner may have, of all processes, the new one included. Default: any number. */
    readonly maxUnfinished?: number;
    readonly now: Instant;
  }): Promise<{ readonly snapshot: TaskSnapshot; readonly created: boolean }>;

  /**
   * Reads one task, or resolves to `undefined` when there is none of that id. What it throws of a damaged one has the `owner`
   * in its details, where that can be read: others must not learn that the task is there.
   */
  getTask(id: string): Promise<TaskSnapshot | undefined>;

  /** Lists tasks, newest first. @throws {@link ResumableError} `INVALID_VALUE` for a cursor that no page gave. */
  listTasks(query: TaskQuery): Promise<TaskPage>;

  /** Lists finished tasks whose `ttlMs` is over, the first finished first. Never an unfinished one. */
  listExpired(request: { readonly now: Instant; readonly limit: number }): Promise<readonly string[]>;

  /** Counts tasks, of one owner or of all. */
  countTasks(query: CountQuery): Promise<TaskCounts>;

  /**
   * Lists tasks that no worker runs and that could be run now, oldest first (see the pure function `isRunnable`), and
   * tells when the next one will be due by its `runnableAt`.
   */
  listRunnable(request: {
    readonly tools: readonly string[];
    readonly now: Instant;
    readonly limit: number;
  }): Promise<{ readonly tasks: readonly RunnableTask[]; readonly nextDueMs?: number }>;

  /**
   * Takes the right to write one task's journal, or resolves to `undefined` when a live worker holds it.
   *
   * Works for a task of any status. The epoch is higher than every epoch before, so the worker that held the lease
   * before can no longer write. A worker is alive while its process is known to live, or else while its heartbeat
   * moved within the last `ttlMs` of the observer's monotonic clock. The `ttlMs` that counts is the one that the
   * lease was taken with; taking a lease is a heartbeat, and so is the first sight of another process's worker.
   */
  acquireLease(request: {
    readonly taskId: string;
    readonly worker: string;
    readonly ttlMs: number;
    readonly now: Instant;
  }): Promise<{ readonly lease: Lease; readonly snapshot: TaskSnapshot } | undefined>;

  /**
   * Says that a worker is alive; all its leases live with it. `offers` are published with it, in place of those before;
   * without `offers` those before remain.
   */
  heartbeat(request: { readonly worker: string; readonly now: Instant; readonly offers?: Offers }): Promise<void>;

  /**
   * Lists what each other living worker published. Alive is what {@link Store.acquireLease} says, with this `ttlMs`.
   * A worker that published nothing is not listed.
   */
  listOffers(request: {
    readonly worker: string;
    readonly ttlMs: number;
    readonly now: Instant;
  }): Promise<readonly WorkerOffers[]>;

  /** Gives a lease back. Safe to repeat; a lost lease is nothing to give back. */
  releaseLease(lease: Lease): Promise<void>;

  /**
   * Appends events to a task's journal, and removes the signals that the writer acted on: all or nothing.
   * The only way to change a task.
   *
   * A `restarted` event makes a finished task unfinished again and claims its key again.
   *
   * Durability: when it has resolved, the events survive what `capabilities.durability` names.
   * Retry: never by itself. After an error other than `SEQ_CONFLICT` the outcome is unknown: give the lease up,
   * take a new one and read.
   *
   * @returns the task as the commit leaves it, which is the fold of its journal, and the signals that are pending now.
   * @throws {@link ResumableError} `LEASE_LOST` when a later epoch exists or the lease was given back; `SEQ_CONFLICT`
   * when `afterSeq` is not the journal's last seq (nothing was written); `KEY_TAKEN` when a `restarted` task's key
   * belongs to another unfinished task (nothing was written); `QUOTA_EXCEEDED` when the journal is full and the
   * events do not end the task or its attempt (nothing was written, and the lease stays); `LIMIT_EXCEEDED` when the
   * owner of a `restarted` task has `maxUnfinished` others (nothing was written, and the lease stays).
   */
  commit(request: {
    readonly lease: Lease;
    readonly afterSeq: number;
    readonly events: readonly TaskEventBody[];
    /** Ids of signals that these events carry out. */
    readonly consume: readonly string[];
    /** For a `restarted` event, as in {@link Store.createTask}. */
    readonly maxUnfinished?: number;
    readonly now: Instant;
  }): Promise<{ readonly record: TaskRecord; readonly signals: readonly Signal[] }>;

  /** Reads a journal from behind a cursor (0 = from the beginning), at most `limit` events. */
  readEvents(id: string, range: { readonly afterSeq: number; readonly limit: number }): Promise<EventPage>;

  /**
   * Keeps one chunk of an artifact. No reader looks for it before an `artifact` event names it.
   *
   * Ordering: the chunks of an artifact come one after another, from index 0 on, and all but the last are equally long. The first
   * one removes every artifact of the task that is neither this one nor in `keep`: what attempts left that died. No lease writes to
   * an artifact of an earlier lease.
   * Durability, retry: as {@link Store.commit}.
   *
   * @throws {@link ResumableError} `LEASE_LOST` as `commit` does.
   */
  putChunk(request: {
    readonly lease: Lease;
    /** 1 to 64 characters out of `a-z 0-9 -`. */
    readonly artifact: string;
    readonly index: number;
    readonly bytes: Uint8Array;
    readonly keep: readonly string[];
  }): Promise<void>;

  /** Reads a chunk, or resolves to `undefined` where the task has none of that artifact and index. */
  readChunk(id: string, artifact: string, index: number): Promise<Uint8Array | undefined>;

  /** Reads what checkpoints appended since the last restart from nothing, from index `after` on. */
  readItems(id: string, range: { readonly after: number; readonly limit: number }): Promise<ItemPage>;

  /**
   * Leaves a signal for the worker that runs the task, or will.
   *
   * Durability: as {@link Store.commit}. A loss of power may take `delivered`: the same call gets the result once more then.
   *
   * @throws {@link ResumableError} `ALREADY_ANSWERED` for a second answer to one key; `UNKNOWN_QUESTION` for an answer to a
   * question from before the last restart from nothing.
   */
  signal(id: string, signal: NewSignal): Promise<void>;

  /**
   * Calls back when there may be something new: about one task, or (without an id) about any task that may have
   * become runnable. A notification to look, never a data path: notifications may be merged, late, or come for nothing.
   */
  watch(id: string | undefined, wake: () => void): () => void;

  /**
   * Deletes a task and all that belongs to it. The lease ends with it.
   *
   * @throws {@link ResumableError} `LEASE_LOST` as `commit` does; nothing was deleted.
   */
  deleteTask(lease: Lease): Promise<void>;

  /** Reads a document, or resolves to `undefined`. */
  getDocument(kind: string, id: string): Promise<StoredDocument | undefined>;

  /**
   * Writes a document if its version is the expected one.
   *
   * @param request.expectedVersion the version that the change is based on; 0 for a new document.
   * @throws {@link ResumableError} `DOCUMENT_CONFLICT` when the document has another version; `LIMIT_EXCEEDED` when it
   * is new and its group is full.
   */
  putDocument(request: {
    readonly kind: string;
    readonly id: string;
    readonly owner: string;
    readonly value: Json;
    readonly expectedVersion: number;
    /** Counts a new document. Default: it is not counted. */
    readonly counted?: CountedGroup;
    readonly now: Instant;
  }): Promise<StoredDocument>;

  /** Deletes a document; nothing happens when there is none. */
  deleteDocument(kind: string, id: string): Promise<void>;

  /** Lists documents of one kind that were last put before a time, oldest first, without their values. */
  listIdleDocuments(request: {
    readonly kind: string;
    /** Only those that are counted in this group. Default: all, counted or not. */
    readonly group?: string;
    readonly idleSinceMs: number;
    readonly limit: number;
  }): Promise<readonly DocumentSummary[]>;

  /**
   * Resolves when the store can be used now, and rejects with the error that calls get while it cannot. Cheap: probes
   * ask it every few seconds. Absent where nothing but a call can tell.
   */
  checkHealth?(): Promise<void>;

  /**
   * Lists the quotas that refuse new tasks, and what is used of them, as this process knows it: what others did lately may be
   * missing. Cheap: operators' pages ask it every few seconds. Absent where there are none.
   */
  listQuotas?(request: { readonly now: Instant }): Promise<readonly QuotaUse[]>;

  /** Gives up this process's leases and closes files. Safe to repeat. */
  close(): Promise<void>;
}

/** The documents of a store, without its tasks. */
export type Documents = Pick<Store, "getDocument" | "putDocument" | "deleteDocument" | "listIdleDocuments">;

/** Called at named points of the code, for tracing and for fault injection in tests. */
export type Observer = (point: string, taskId?: string) => void;
