import type { Database } from "../database/database.js";
import type { SignalRow } from "./task-columns.js";

/** One commit of one task, as the statement takes it. */
export interface CommitRow {
  readonly id: string;
  readonly epoch: number;
  readonly holder: string;
  readonly after_seq: number;
  readonly last_seq: number;
  /** Of the whole journal, with this commit. */
  readonly bytes: number;
  readonly status: string;
  readonly terminal: boolean;
  readonly live: boolean;
  readonly pausing: boolean;
  readonly detached: boolean;
  /** JSON. */
  readonly questions: string;
  readonly runnable_ms: number | null;
  readonly crashes: number;
  readonly tool_version: string;
  readonly finished_ms: number | null;
  readonly items_from_seq: number;
  readonly item_count: number;
  readonly brief: string;
  /** JSON: the ids of signals; `null` for none. */
  readonly consume: string | null;
  readonly body: string;
  readonly items: string | null;
  readonly end_item: number | null;
  readonly size: number;
  /** The task claims its call again. */
  readonly claims: boolean;
  /** The record after the commit as JSON, where a snapshot is due. */
  readonly snapshot: string | null;
  /** JSON: the hashes of keys whose questions this commit answers; `null` for none. */
  readonly answered: string | null;
}

const columns = {
  id: "text",
  epoch: "bigint",
  holder: "text",
  after_seq: "bigint",
  last_seq: "bigint",
  bytes: "bigint",
  status: "text",
  terminal: "boolean",
  live: "boolean",
  pausing: "boolean",
  detached: "boolean",
  questions: "text",
  runnable_ms: "double precision",
  crashes: "int",
  tool_version: "text",
  finished_ms: "bigint",
  items_from_seq: "bigint",
  item_count: "bigint",
  brief: "text",
  consume: "text",
  body: "text",
  items: "text",
  end_item: "bigint",
  size: "bigint",
  claims: "boolean",
  snapshot: "text",
  answered: "text",
} satisfies { readonly [Name in keyof CommitRow]: string };

const names = Object.keys(columns) as readonly (keyof CommitRow)[];
const parameters = names.map((name, index) => `$${index + 1}::${columns[name]}[]`).join(", ");

/**
 * Appends commits of different tasks, each fenced by epoch, holder and place: of those that are not current, nothing is
 * written, and no row comes back. Commit and take-over change the same row, so that the later one sees the earlier.
 *
 * Rows are locked in the order of their ids, so that two such statements never wait for each other in a circle. A signal
 * that came meanwhile is returned, since it is in the very row.
 */
const commitStatement = {
  name: "commit",
  text: `WITH c AS (SELECT * FROM unnest(${parameters}) x(${names.join(", ")})),
    current AS (
      SELECT t.id FROM store.task t JOIN c USING (id)
      WHERE t.epoch = c.epoch AND t.holder = c.holder AND t.last_seq = c.after_seq
      ORDER BY t.id FOR NO KEY UPDATE OF t),
    t AS (
      UPDATE store.task t SET last_seq = c.last_seq, bytes = c.bytes, status = c.status, terminal = c.terminal, live = c.live,
        pausing = c.pausing, detached = c.detached, runnable_ms = c.runnable_ms, crashes = c.crashes,
        questions = ARRAY(SELECT jsonb_array_elements_text(c.questions::jsonb)),
        tool_version = c.tool_version, finished_ms = c.finished_ms, items_from_seq = c.items_from_seq,
        item_count = c.item_count, brief = c.brief,
        claim = CASE WHEN c.claims THEN nextval('store.claim') ELSE t.claim END,
        signals = CASE WHEN c.consume IS NULL THEN t.signals ELSE (
          SELECT coalesce(jsonb_agg(s ORDER BY n), '[]') FROM jsonb_array_elements(t.signals) WITH ORDINALITY x(s, n)
          WHERE NOT c.consume::jsonb ? (s->>'i')) END
      FROM c JOIN current USING (id)
      WHERE t.id = c.id AND t.epoch = c.epoch AND t.holder = c.holder AND t.last_seq = c.after_seq
      RETURNING t.id, t.signals),
    j AS (
      INSERT INTO store.journal (task, last_seq, epoch, size, body, items, end_item)
      SELECT c.id, c.last_seq, c.epoch, c.size, c.body, c.items, c.end_item
      FROM c JOIN t USING (id) WHERE c.last_seq > c.after_seq),
    a AS (
      INSERT INTO store.answer (task, generation, question)
      SELECT c.id, c.items_from_seq, q FROM c JOIN t USING (id), jsonb_array_elements_text(c.answered::jsonb) q
      ON CONFLICT DO NOTHING),
    n AS (
      INSERT INTO store.snapshot (task, seq, record, bytes)
      SELECT c.id, c.last_seq, c.snapshot, c.bytes FROM c JOIN t USING (id) WHERE c.snapshot IS NOT NULL
      ON CONFLICT (task) DO UPDATE SET seq = excluded.seq, record = excluded.record, bytes = excluded.bytes)
    SELECT id, signals FROM t`,
};

/** What became of a commit: the signals that are pending now, or `undefined` where it was not current. */
export type CommitOutcome = readonly SignalRow[] | undefined;

interface Waiting {
  readonly row: CommitRow;
  readonly size: number;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes commits. While a statement is under way on each connection, what comes waits and goes into the next one together: no
 * timer, so that a single task waits for no other.
 *
 * A task has at most one commit in here at a time.
 */
export class GroupCommit {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #running = 0;
  #isScheduled = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Writes a commit together with those of other tasks. */
  write(row: CommitRow): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => {
      const size = row.body.length + (row.items?.length ?? 0) + (row.snapshot?.length ?? 0);
      this.#waiting.push({ row, size, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      // Commits of the same moment share their first statement, too.
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#pump();
      });
    });
  }

  /** Writes a commit that may fail for a reason of its own, which must not fail others. */
  async writeAlone(row: CommitRow): Promise<CommitOutcome> {
    return (await this.#run([row])).get(row.id);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#running < this.#database.limits.maxWriters) {
      const batch = this.#takeBatch();
      this.#running += 1;
      void this.#writeBatch(batch);
    }
  }

  #takeBatch(): readonly Waiting[] {
    const { maxBatchTasks, maxBatchBytes } = this.#database.limits;
    let bytes = 0;
    const end = this.#waiting.findIndex(({ size }, index) => {
      bytes += size;
      return index > 0 && (index >= maxBatchTasks || bytes > maxBatchBytes);
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#run(batch.map(({ row }) => row));
      for (const { row, resolve } of batch) resolve(outcomes.get(row.id));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running -= 1;
      this.#pump();
    }
  }

  async #run(rows: readonly CommitRow[]): Promise<ReadonlyMap<string, readonly SignalRow[]>> {
    const values = names.map((name) => rows.map((row) => row[name]));
    type Written = { readonly id: string; readonly signals: readonly SignalRow[] };
    const written = await this.#database.query<Written>("commit", commitStatement, values);
    return new Map(written.map(({ id, signals }) => [id, signals]));
  }
}
