import type { Database, Statement } from "../database/database.js";
import { listParameter } from "./list-parameter.js";
import type { SignalRow, TaskFold } from "./task-columns.js";

/** One commit of one task, as the statement takes it. */
export interface CommitRow {
  readonly id: string;
  readonly epoch: number;
  readonly holder: string;
  readonly after_seq: number;
  /** Of the whole journal, with this commit. */
  readonly bytes: number;
  /** The task after the commit, for lists and workers. */
  readonly fold: TaskFold;
  readonly body: string;
  readonly items: string | null;
  readonly end_item: number | null;
  readonly size: number;
  /** When it was made, in milliseconds since 1970. */
  readonly at_ms: number;
  /** JSON: the ids of signals; `null` for none. */
  readonly consume: string | null;
  /** The task claims its call again. */
  readonly claims: boolean;
  /** The record after the commit as JSON, where a snapshot is due. */
  readonly snapshot: string | null;
  /** JSON: the hashes of keys whose questions this commit answers; `null` for none. */
  readonly answered: string | null;
}

/** A commit, and whether it is a checkpoint after the one before: {@link isCheckpoint}. */
export interface CommitToWrite {
  readonly row: CommitRow;
  readonly isCheckpoint: boolean;
}

/** A column of a statement: its type, and its value for a commit. */
interface Column {
  readonly type: string;
  readonly of: (row: CommitRow) => string | number | boolean | null;
}

type FoldTypes = { readonly [Name in keyof TaskFold]?: string };

/** Columns out of what the task is after the commit. */
function foldColumns(types: FoldTypes): Readonly<Record<string, Column>> {
  const names = Object.keys(types) as readonly (keyof TaskFold)[];
  return Object.fromEntries(
    names.map((name) => [name, { type: types[name] ?? "", of: ({ fold }: CommitRow) => fold[name] }]),
  );
}

/** What each commit changes. */
const checkpointColumns: Readonly<Record<string, Column>> = {
  id: { type: "text", of: (row) => row.id },
  epoch: { type: "bigint", of: (row) => row.epoch },
  holder: { type: "text", of: (row) => row.holder },
  after_seq: { type: "bigint", of: (row) => row.after_seq },
  bytes: { type: "bigint", of: (row) => row.bytes },
  body: { type: "text", of: (row) => row.body },
  items: { type: "text", of: (row) => row.items },
  end_item: { type: "bigint", of: (row) => row.end_item },
  size: { type: "bigint", of: (row) => row.size },
  at_ms: { type: "bigint", of: (row) => row.at_ms },
  ...foldColumns({ last_seq: "bigint", item_count: "bigint", brief: "text" }),
};

/** What lists and workers choose by: it stays as it is from one checkpoint to the next. */
const steadyTypes = {
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
} satisfies FoldTypes;

const allColumns: Readonly<Record<string, Column>> = {
  ...checkpointColumns,
  ...foldColumns(steadyTypes),
  // What only some commits do.
  consume: { type: "text", of: (row) => row.consume },
  claims: { type: "boolean", of: (row) => row.claims },
  snapshot: { type: "text", of: (row) => row.snapshot },
  answered: { type: "text", of: (row) => row.answered },
};

const steadyNames = Object.keys(steadyTypes) as readonly (keyof typeof steadyTypes)[];

/** Tells whether a commit changes nothing but what each commit changes. */
export function isCheckpoint(before: TaskFold | undefined, row: CommitRow): boolean {
  const isRare = row.claims || (row.consume ?? row.snapshot ?? row.answered) !== null;
  return !isRare && before !== undefined && steadyNames.every((name) => before[name] === row.fold[name]);
}

/** A statement that writes commits, and the columns that it takes: a value of each for one commit, or else a list. */
interface CommitStatement extends Statement {
  readonly columns: readonly Column[];
}

const checkpointSets = "last_seq = c.last_seq, bytes = c.bytes, item_count = c.item_count, brief = c.brief";

const otherSets = `status = c.status, terminal = c.terminal, live = c.live, pausing = c.pausing, detached = c.detached,
  runnable_ms = c.runnable_ms, crashes = c.crashes, questions = ARRAY(SELECT jsonb_array_elements_text(c.questions::jsonb)),
  tool_version = c.tool_version, finished_ms = c.finished_ms, items_from_seq = c.items_from_seq,
  claim = CASE WHEN c.claims THEN nextval('store.claim') ELSE t.claim END,
  signals = CASE WHEN c.consume IS NULL THEN t.signals ELSE (
    SELECT coalesce(jsonb_agg(s ORDER BY n), '[]') FROM jsonb_array_elements(t.signals) WITH ORDINALITY x(s, n)
    WHERE NOT c.consume::jsonb ? (s->>'i')) END`;

const isCurrent = "t.epoch = c.epoch AND t.holder = c.holder AND t.last_seq = c.after_seq";

/**
 * Appends commits of different tasks, each fenced by epoch, holder and place: of those that are not current, nothing is
 * written, and no row comes back. Commit and take-over change the same row, so that the later one sees the earlier.
 *
 * Rows are locked in the order of their ids, so that two such statements never wait for each other in a circle. A signal
 * that came meanwhile is returned, since it is in the very row.
 *
 * A checkpoint changes little, and most commits are checkpoints: writing only that takes half the time, and a third of it
 * where the statement is for a single one.
 */
function commitStatement(name: string, isOne: boolean, isWhole: boolean, isLimited = false): CommitStatement {
  const columns = Object.entries(isWhole ? allColumns : checkpointColumns);
  const names = columns.map(([name]) => name);
  const parameters = columns.map(([, { type }], index) => `$${index + 1}::${type}${isOne ? "" : "[]"}`);
  const ones = `(SELECT ${names.map((name, index) => `${parameters[index]} AS ${name}`).join(", ")}) c`;
  const c = isOne ? ones : "c";
  const many = `c AS (SELECT * FROM unnest(${parameters.join(", ")}) x(${names.join(", ")})),
    current AS (
      SELECT t.id FROM store.task t JOIN c USING (id) WHERE ${isCurrent} ORDER BY t.id FOR NO KEY UPDATE OF t),`;
  const [owner, max] = [`$${columns.length + 1}`, `$${columns.length + 2}::double precision`];
  const limit = isLimited ? ` AND (SELECT store.unfinished_of_v1(${owner}, ${max}, true)) < ${max}` : "";
  const rest = `,
    a AS (
      INSERT INTO store.answer (task, generation, question)
      SELECT c.id, c.items_from_seq, q FROM ${c} JOIN t USING (id), jsonb_array_elements_text(c.answered::jsonb) q
      ON CONFLICT DO NOTHING),
    n AS (
      INSERT INTO store.snapshot (task, seq, record, bytes)
      SELECT c.id, c.last_seq, c.snapshot, c.bytes FROM ${c} JOIN t USING (id) WHERE c.snapshot IS NOT NULL
      ON CONFLICT (task) DO UPDATE SET seq = excluded.seq, record = excluded.record, bytes = excluded.bytes)`;
  const text = `WITH ${isOne ? "" : many}
    t AS (
      UPDATE store.task t SET ${isWhole ? `${checkpointSets}, ${otherSets}` : checkpointSets}
      FROM ${isOne ? c : "c JOIN current USING (id)"} WHERE t.id = c.id AND ${isCurrent}${limit}
      RETURNING t.id, t.signals),
    j AS (
      INSERT INTO store.journal (task, last_seq, epoch, at_ms, size, body, items, end_item)
      SELECT c.id, c.last_seq, c.epoch, c.at_ms, c.size, c.body, c.items, c.end_item
      FROM ${c} JOIN t USING (id) WHERE c.last_seq > c.after_seq)${isWhole ? rest : ""}
    SELECT id, signals FROM t`;
  return { name, text, columns: columns.map(([, column]) => column) };
}

const statements = {
  whole: { one: commitStatement("commit", true, true), many: commitStatement("commit_many", false, true) },
  checkpoint: {
    one: commitStatement("checkpoint", true, false),
    many: commitStatement("checkpoint_many", false, false),
  },
};

/** As for any other commit, unless the task's owner has too many unfinished tasks. */
const beginAgain = commitStatement("commit_again", true, true, true);

interface Written {
  readonly id: string;
  readonly signals: readonly SignalRow[];
}

/** What became of a commit: the signals that are pending now, or `undefined` where it was not current. */
export type CommitOutcome = readonly SignalRow[] | undefined;

interface Waiting extends CommitToWrite {
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
  write(commit: CommitToWrite): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => {
      const { row } = commit;
      const size = row.body.length + (row.items?.length ?? 0) + (row.snapshot?.length ?? 0);
      this.#waiting.push({ ...commit, size, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      // Commits of the same moment share their first statement, too.
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#pump();
      });
    });
  }

  /**
   * Writes a commit that may fail for a reason of its own, which must not fail others.
   *
   * @param max how many unfinished tasks the owner, given as a hash, may have with this one.
   */
  async writeAlone(row: CommitRow, owner: Buffer, max = Number.POSITIVE_INFINITY): Promise<CommitOutcome> {
    if (!Number.isFinite(max)) return (await this.#run([{ row, isCheckpoint: false }])).get(row.id);
    const values = [...beginAgain.columns.map((column) => column.of(row)), owner, max];
    return (await this.#database.query<Written>("commit", beginAgain, values))[0]?.signals;
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
      const outcomes = await this.#run(batch);
      for (const { row, resolve } of batch) resolve(outcomes.get(row.id));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running -= 1;
      this.#pump();
    }
  }

  async #run(commits: readonly CommitToWrite[]): Promise<ReadonlyMap<string, readonly SignalRow[]>> {
    const { one, many } = commits.every((commit) => commit.isCheckpoint) ? statements.checkpoint : statements.whole;
    const [first] = commits;
    const isOne = commits.length === 1 && first !== undefined;
    const values = isOne
      ? one.columns.map((column) => column.of(first.row))
      : many.columns.map(({ type, of }) =>
          listParameter(
            type,
            commits.map(({ row }) => of(row)),
          ),
        );
    const written = await this.#database.query<Written>("commit", isOne ? one : many, values);
    return new Map(written.map(({ id, signals }) => [id, signals]));
  }
}
