import { isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { isPlainRecord } from "@resumable-mcp/core/internal";
import { type Instant, type Lease, storeErrors, type TaskSnapshot } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { isTaskId } from "../database/hash.js";
import { readQuestions, readSignals, type SignalRow, type TaskFold } from "../journal/task-columns.js";
import type { Notifications } from "./notifications.js";
import { readColumns, readTables, type TaskReader, type TaskReading, type TaskRow } from "./task-reader.js";
import { standingTable, type WorkerRegistry } from "./worker-registry.js";

// Looking and taking are one step: of several takers that saw the same lease, the first changes the row. A lease that is taken is
// also a heartbeat; another statement that has the worker's row at this moment counts as one, too.
const acquireStatement = {
  name: "acquire",
  text: `WITH s AS (
      SELECT t.id, t.epoch, t.holder, t.lease_ttl_ms, w.beat
      FROM store.task t LEFT JOIN store.worker w ON w.worker = t.holder WHERE t.id = $1),
    taken AS (
      UPDATE store.task t SET epoch = nextval('store.epoch'), holder = $4, lease_ttl_ms = $5 FROM s
      WHERE t.id = s.id AND t.epoch = s.epoch AND t.holder IS NOT DISTINCT FROM s.holder
        AND (s.holder IS NULL OR s.beat IS NULL OR s.epoch = $7 OR EXISTS (
          SELECT FROM ${standingTable(8)} WHERE d.worker = s.holder AND d.beat = s.beat AND d.stood_ms >= s.lease_ttl_ms))
      RETURNING t.id, t.epoch, t.last_seq, t.signals),
    new AS (INSERT INTO store.worker (worker, beat) SELECT $4, $6 FROM taken ON CONFLICT DO NOTHING),
    beat AS (
      UPDATE store.worker w SET beat = $6
      FROM (SELECT worker FROM store.worker WHERE worker = $4 AND EXISTS (SELECT FROM taken) FOR UPDATE SKIP LOCKED) free
      WHERE w.worker = free.worker)
    SELECT ${readColumns}, taken.epoch AS taken_epoch, taken.last_seq AS taken_seq, taken.signals AS taken_signals
    FROM (SELECT $1::text AS id, $2::text AS mark, $3::bigint AS seq) c ${readTables}
    LEFT JOIN taken ON taken.id = t.id`,
};

interface AcquireRow extends TaskRow {
  readonly taken_epoch: number | null;
  readonly taken_seq: number | null;
  readonly taken_signals: readonly SignalRow[] | null;
}

const releaseStatement = {
  name: "release",
  text: "UPDATE store.task SET holder = NULL WHERE id = $1 AND epoch = $2 AND holder = $3 RETURNING id",
};

const releaseAllStatement = {
  name: "release_all",
  text: "UPDATE store.task SET holder = NULL WHERE holder = ANY ($1) RETURNING id",
};

const ownStatement = {
  name: "own_leases",
  text: "SELECT id, epoch, holder FROM store.task WHERE holder = ANY ($1)",
};

/** A task whose lease this store has, as its last commit left it. */
export interface HeldTask {
  readonly lease: Lease;
  readonly holder: string;
  readonly incarnation: number;
  record: TaskRecord;
  /** Of the last commit. */
  mark: string;
  isPlain: boolean;
  questions: readonly string[];
  /** Of the whole journal. */
  bytes: number;
  /** As the last commit of this lease left it. */
  fold: TaskFold | undefined;
  /** The newest snapshot: its last event, the bytes of the journal up to there, and its own size. */
  snapshot: { readonly seq: number; readonly bytes: number; readonly size: number };
  /** Bytes of the journal up to where it is compacted. */
  compactedBytes: number;
  /** Commits of the task, one after another. */
  queue: Promise<unknown>;
}

/** The leases of this store's workers. */
export class LeaseBook {
  readonly #database: Database;
  readonly #workers: WorkerRegistry;
  readonly #reader: TaskReader;
  readonly #notifications: Notifications;
  readonly #held = new Map<string, HeldTask>();
  /** Leases that ended here, and of which the server may not know it: by task. */
  readonly #givenUp = new Map<string, HeldTask>();
  /** How many calls are taking each task's lease now. */
  readonly #taking = new Map<string, number>();
  /** Leases of tasks that cannot be read, by task: while they are held, no worker tries again. */
  readonly #unreadable = new Map<string, number>();

  constructor(parts: {
    database: Database;
    workers: WorkerRegistry;
    reader: TaskReader;
    notifications: Notifications;
  }) {
    this.#database = parts.database;
    this.#workers = parts.workers;
    this.#reader = parts.reader;
    this.#notifications = parts.notifications;
  }

  /** Takes a task's lease, or gives `undefined` where a live worker holds it. */
  async acquire(request: {
    readonly taskId: string;
    readonly worker: string;
    readonly ttlMs: number;
    readonly now: Instant;
  }): Promise<{ readonly lease: Lease; readonly snapshot: TaskSnapshot } | undefined> {
    const { taskId } = request;
    if (!isTaskId(taskId)) throw storeErrors.taskNotFound(taskId);
    this.#taking.set(taskId, (this.#taking.get(taskId) ?? 0) + 1);
    try {
      return await this.#take(request);
    } finally {
      const left = (this.#taking.get(taskId) ?? 1) - 1;
      if (left > 0) this.#taking.set(taskId, left);
      else this.#taking.delete(taskId);
    }
  }

  async #take({
    taskId,
    worker,
    ttlMs,
  }: Parameters<LeaseBook["acquire"]>[0]): Promise<
    { readonly lease: Lease; readonly snapshot: TaskSnapshot } | undefined
  > {
    const holder = this.#workers.nameOf(worker);
    const { base, values } = this.#reader.known(taskId);
    const given = this.#givenUp.get(taskId)?.lease.epoch ?? 0;
    const [row] = await this.#database.query<AcquireRow>("write", acquireStatement, [
      ...[taskId, ...values, holder, ttlMs, this.#workers.nextBeat(holder), given],
      ...this.#workers.standing(),
    ]);
    if (row === undefined) throw storeErrors.taskNotFound(taskId);
    if (row.taken_epoch === null) {
      // The first sight of the holder's heartbeat is what a take-over is measured from.
      if (row.holder !== null) this.#workers.isAlive(row.holder, row.beat, row.lease_ttl_ms ?? 0);
      return undefined;
    }
    this.#givenUp.delete(taskId);
    const lease = Object.freeze({ taskId, worker, epoch: row.taken_epoch });
    const reading = await this.#readTaken(row, base).catch((error: unknown) => {
      if (isResumableError(error, "TASK_CORRUPT")) this.#unreadable.set(taskId, lease.epoch);
      throw error;
    });
    this.#unreadable.delete(taskId);
    this.#held.set(taskId, heldTask(lease, holder, reading));
    const signals = readSignals(row.taken_signals ?? []);
    return { lease, snapshot: Object.freeze({ record: reading.record, signals, leased: true }) };
  }

  /** The task as the lease found it: a commit that the taking waited for is in the row, but not in what the same statement read. */
  async #readTaken(row: AcquireRow, base: Parameters<TaskReader["fold"]>[1]): Promise<TaskReading> {
    if (row.taken_seq === row.last_seq) return this.#reader.fold(row, base);
    const reading = await this.#reader.read(row.id);
    if (reading === undefined) throw storeErrors.taskNotFound(row.id);
    return reading;
  }

  /** The task that a lease gives the right to write, if it is one of this store's and has not ended. */
  heldBy(lease: Lease): HeldTask | undefined {
    const held = this.#held.get(lease.taskId);
    return held?.lease.epoch === lease.epoch && held.lease.worker === lease.worker ? held : undefined;
  }

  /** Ends a lease of which the server knows that it ended. */
  forget({ lease }: HeldTask): void {
    if (this.heldBy(lease) !== undefined) this.#held.delete(lease.taskId);
  }

  /** Ends a lease after a statement whose outcome is unknown; the server learns of it as soon as it can be reached. */
  giveUp(held: HeldTask): void {
    this.forget(held);
    this.#givenUp.set(held.lease.taskId, held);
  }

  /** Gives a lease back. */
  async release(lease: Lease): Promise<void> {
    const given = this.#givenUp.get(lease.taskId);
    const held = this.heldBy(lease) ?? (given?.lease.epoch === lease.epoch ? given : undefined);
    if (held === undefined) return;
    // What is under way for this lease ends first.
    await held.queue;
    this.giveUp(held);
    await this.#releaseHeld(held);
  }

  async #releaseHeld(held: HeldTask): Promise<void> {
    const { taskId, epoch } = held.lease;
    await this.#release(taskId, epoch, held.holder);
    if (this.#givenUp.get(taskId) === held) this.#givenUp.delete(taskId);
  }

  async #release(id: string, epoch: number, holder: string): Promise<void> {
    const rows = await this.#database.query("write", releaseStatement, [id, epoch, holder]);
    if (rows.length > 0) this.#notifications.notify(id, "runnable");
  }

  /**
   * Gives back what could not be given back before, and leases that only the server knows: the answer to their taking was lost,
   * or a fail-over lost that they were given back. This worker's own heartbeats would keep them.
   */
  async releaseGivenUp(): Promise<void> {
    for (const held of [...this.#givenUp.values()]) await this.#releaseHeld(held);
    type Own = { readonly id: string; readonly epoch: number; readonly holder: string };
    const own = await this.#database.query<Own>("read", ownStatement, [this.#workers.own]);
    for (const { id, epoch, holder } of own) {
      const isKnown = this.#held.get(id)?.lease.epoch === epoch || this.#unreadable.get(id) === epoch;
      if (isKnown || this.#taking.has(id)) continue;
      await this.#release(id, epoch, holder);
    }
  }

  /** Gives back all leases. */
  async close(): Promise<void> {
    this.#held.clear();
    if (this.#workers.own.length === 0) return;
    const freed = await this.#database.query<{ id: string }>("write", releaseAllStatement, [this.#workers.own]);
    for (const { id } of freed) this.#notifications.notify(id, "runnable");
  }
}

function heldTask(lease: Lease, holder: string, { record, mark, row }: TaskReading): HeldTask {
  return {
    lease,
    holder,
    incarnation: row.incarnation,
    record,
    mark,
    isPlain: isPlainRecord(record),
    questions: readQuestions(record),
    bytes: row.bytes,
    fold: undefined,
    snapshot: { seq: row.snapshot_seq ?? 0, bytes: row.snapshot_bytes ?? 0, size: 0 },
    compactedBytes: row.compacted_bytes ?? 0,
    queue: Promise.resolve(),
  };
}
