import { isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { BoundedCache, deepFreeze, isPlainRecord, recordMemory } from "@resumable-mcp/core/internal";
import { reduceTask, type Signal, type TaskSnapshot, type TaskSummary } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { isTaskId } from "../database/hash.js";
import { taskCorrupt } from "../database/store-errors.js";
import { decodeEvents } from "../journal/encode-events.js";
import { readSignals, type SignalRow } from "../journal/task-columns.js";
import type { WorkerRegistry } from "./worker-registry.js";

/**
 * What a statement must know of a task to give only what is new: its last commit. After a fail-over that lost commits another
 * history may have events at the same places, under the same epochs.
 */
export interface Known {
  readonly incarnation: number;
  /** {@link makeMark} the last commit. */
  readonly mark: string;
  readonly record: TaskRecord;
}

/** Names a commit. {@link markColumn} gives the same for a row of the journal. */
export function makeMark(
  incarnation: number,
  { epoch, size, at_ms }: { readonly epoch: number; readonly size: number; readonly at_ms: number },
): string {
  return [incarnation, epoch, size, at_ms].join(":");
}

/** Where no row ends at the place, as after an import, the incarnation alone. */
const markColumn = (row: string): string => `concat_ws(':', t.incarnation, ${row}.epoch, ${row}.size, ${row}.at_ms)`;

/** A task as a statement with {@link readColumns} and {@link readTables} gives it. */
export interface TaskRow {
  readonly id: string;
  readonly incarnation: number;
  readonly last_seq: number;
  readonly bytes: number;
  readonly holder: string | null;
  readonly epoch: number;
  readonly lease_ttl_ms: number | null;
  readonly beat: number | null;
  readonly signals: readonly SignalRow[];
  readonly snapshot_seq: number | null;
  readonly snapshot_bytes: number | null;
  readonly compacted_bytes: number | null;
  /** The last event that was known, 0 where the history of the task does not have it. */
  readonly known_seq: number;
  /** Of the last commit, where it is newer than what was known. */
  readonly mark: string | null;
  /** The snapshot, where it is newer than what was known. */
  readonly record: string | null;
  /** The commits behind the snapshot, or behind what was known. */
  readonly bodies: readonly string[] | null;
}

/** The columns of {@link TaskRow}. */
export const readColumns = `t.id, t.incarnation, t.last_seq, t.bytes, t.holder, t.epoch, t.lease_ttl_ms, w.beat, t.signals,
  n.seq AS snapshot_seq, n.bytes AS snapshot_bytes, n.compacted_bytes, k.seq AS known_seq,
  CASE WHEN k.seq < t.last_seq THEN (
    SELECT ${markColumn("l")} FROM (SELECT) one LEFT JOIN store.journal l ON l.task = t.id AND l.last_seq = t.last_seq) END AS mark,
  CASE WHEN k.seq < n.seq THEN n.record END AS record, e.bodies`;

/** The tables of {@link readColumns}, to be joined to `c(id, mark, seq)`: what the process knows of each task. */
export const readTables = `JOIN store.task t ON t.id = c.id
  LEFT JOIN store.worker w ON w.worker = t.holder
  LEFT JOIN store.journal b ON b.task = t.id AND b.last_seq = c.seq
  CROSS JOIN LATERAL (SELECT CASE WHEN c.mark = ${markColumn("b")} AND c.seq <= t.last_seq THEN c.seq ELSE 0 END AS seq) k
  LEFT JOIN store.snapshot n ON n.task = t.id
  LEFT JOIN LATERAL (SELECT array_agg(j.body ORDER BY j.last_seq) AS bodies FROM store.journal j
    WHERE j.task = t.id AND t.last_seq > k.seq AND j.last_seq > greatest(k.seq, coalesce(n.seq, 0))) e ON true`;

const readStatement = {
  name: "read",
  text: `SELECT ${readColumns} FROM unnest($1::text[], $2::text[], $3::bigint[]) c(id, mark, seq) ${readTables}`,
};

const briefStatement = { name: "brief", text: "SELECT brief FROM store.task WHERE id = $1" };

/** A task that was read. */
export interface TaskReading {
  readonly record: TaskRecord;
  readonly mark: string;
  readonly signals: readonly Signal[];
  readonly row: TaskRow;
}

/** Reads tasks, of several that are asked for in one turn all with one statement, and of each only what is new. */
export class TaskReader {
  readonly #database: Database;
  readonly #workers: WorkerRegistry;
  readonly #cache: BoundedCache<Known>;
  #asked = new Map<string, { readonly promise: Promise<TaskReading | undefined>; readonly resolve: Resolve }>();

  constructor(database: Database, workers: WorkerRegistry) {
    this.#database = database;
    this.#workers = workers;
    const { maxCachedTasks: maxEntries, maxCachedBytes: maxBytes } = database.limits;
    this.#cache = new BoundedCache({ maxEntries, maxBytes });
  }

  /** Reads a task, if there is one of this id. */
  async read(id: string): Promise<TaskReading | undefined> {
    if (!isTaskId(id)) return undefined;
    const asked = this.#asked.get(id);
    if (asked !== undefined) return asked.promise;
    if (this.#asked.size === 0) setImmediate(() => this.#readAsked());
    const { promise, resolve } = pendingReading();
    this.#asked.set(id, { promise, resolve });
    return promise;
  }

  /** A task as others see it, if there is one of this id. */
  async snapshot(id: string): Promise<TaskSnapshot | undefined> {
    try {
      const reading = await this.read(id);
      return reading && this.snapshotOf(reading);
    } catch (error) {
      if (!isResumableError(error, "TASK_CORRUPT")) throw error;
      throw taskCorrupt(id, this.#database.place, error.cause, await this.#ownerOf(id));
    }
  }

  /** Whose a damaged task is, as its summary for lists says. */
  async #ownerOf(id: string): Promise<string | undefined> {
    const rows = await this.#database.query<{ brief: string }>("read", briefStatement, [id]);
    const owners = rows.map(({ brief }) => (JSON.parse(brief) as TaskSummary).owner);
    return owners[0];
  }

  /** A task that was read, as others see it. */
  snapshotOf({ record, signals, row }: TaskReading): TaskSnapshot {
    const { holder, beat, lease_ttl_ms: ttlMs } = row;
    const leased = holder !== null && this.#workers.isAlive(holder, beat, ttlMs ?? 0);
    return Object.freeze({ record, signals, leased });
  }

  /** What is known of a task, as the parameters of a statement. */
  known(id: string): { readonly base: Known | undefined; readonly values: readonly [string, number] } {
    const base = this.#cache.get(id);
    return { base, values: [base?.mark ?? "", base?.record.lastSeq ?? 0] };
  }

  /** Keeps what is known of a task for the next reading. @param lost what turned out to be no part of its history. */
  keep(known: Known, lost?: Known): void {
    const before = this.#cache.get(known.record.id);
    const isOlder = before?.incarnation === known.incarnation && before.record.lastSeq > known.record.lastSeq;
    if (!isOlder || before === lost) this.#cache.set(known.record.id, known, recordMemory(known.record));
  }

  /** Folds what a statement gave. @throws {@link ResumableError} `TASK_CORRUPT`. */
  fold(row: TaskRow, base: Known | undefined): TaskReading {
    try {
      const known = row.known_seq > 0 ? base : undefined;
      const record = foldRow(row, known?.record);
      const mark = row.mark ?? known?.mark ?? "";
      this.keep({ incarnation: row.incarnation, mark, record }, known ? undefined : base);
      return { record, mark, signals: readSignals(row.signals), row };
    } catch (error) {
      throw taskCorrupt(row.id, this.#database.place, error);
    }
  }

  #readAsked(): void {
    const asked = [...this.#asked];
    this.#asked = new Map();
    const { maxReadTasks } = this.#database.limits;
    for (let from = 0; from < asked.length; from += maxReadTasks) {
      const part = asked.slice(from, from + maxReadTasks);
      const all = this.#readMany(part.map(([id]) => id));
      for (const [id, { resolve }] of part) resolve(all.then((readings) => readings.get(id)?.()));
    }
  }

  async #readMany(ids: readonly string[]): Promise<ReadonlyMap<string, () => TaskReading>> {
    const known = new Map(ids.map((id) => [id, this.known(id)]));
    const values = [...known.values()].map((each) => each.values);
    const columns = [ids, values.map(([mark]) => mark), values.map(([, seq]) => seq)];
    const rows = await this.#database.query<TaskRow>("read", readStatement, columns);
    // A damaged task fails alone.
    return new Map(rows.map((row) => [row.id, () => this.fold(row, known.get(row.id)?.base)]));
  }
}

function foldRow(row: TaskRow, known: TaskRecord | undefined): TaskRecord {
  const snapshot: TaskRecord | undefined = row.record === null ? undefined : deepFreeze(JSON.parse(row.record));
  const base = snapshot ?? known;
  const events = (row.bodies ?? []).flatMap((body) => decodeEvents(body, undefined));
  const record = events.length === 0 && base ? base : reduceTask(base, deepFreeze(events), base && isPlainRecord(base));
  if (record.lastSeq !== row.last_seq) throw new Error(`the journal ends at ${record.lastSeq}, not at ${row.last_seq}`);
  return record;
}

type Resolve = (reading: Promise<TaskReading | undefined>) => void;

function pendingReading(): { readonly promise: Promise<TaskReading | undefined>; readonly resolve: Resolve } {
  let resolve: Resolve = () => {};
  const promise = new Promise<TaskReading | undefined>((resolver) => {
    resolve = resolver;
  });
  return { promise, resolve };
}
