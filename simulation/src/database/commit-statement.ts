import { type Backend, hex, type Statement } from "./statement.js";
import type { SignalValue, TaskRow } from "./tables.js";
import { addAnswer, checkUnique, unfinishedOf } from "./task-statements.js";

/** One commit of one task: the columns in the order in which the statement takes them. */
interface Commit {
  readonly id: string;
  readonly epoch: number;
  readonly holder: string;
  readonly after_seq: number;
  readonly last_seq: number;
  readonly bytes: number;
  readonly status: string;
  readonly terminal: boolean;
  readonly live: boolean;
  readonly pausing: boolean;
  readonly detached: boolean;
  readonly questions: string;
  readonly runnable_ms: number | null;
  readonly crashes: number;
  readonly tool_version: string;
  readonly finished_ms: number | null;
  readonly items_from_seq: number;
  readonly item_count: number;
  readonly brief: string;
  readonly consume: string | null;
  readonly body: string;
  readonly items: string | null;
  readonly end_item: number | null;
  readonly size: number;
  readonly at_ms: number;
  readonly claims: boolean;
  readonly snapshot: string | null;
  readonly answered: string | null;
}

const checkpointColumns = [
  ...[
    "id",
    "epoch",
    "holder",
    "after_seq",
    "bytes",
    "body",
    "items",
    "end_item",
    "size",
    "at_ms",
    "last_seq",
    "item_count",
    "brief",
  ],
];
const allColumns = [
  ...checkpointColumns,
  ...["status", "terminal", "live", "pausing", "detached", "questions", "runnable_ms", "crashes", "tool_version"],
  ...["finished_ms", "items_from_seq", "consume", "claims", "snapshot", "answered"],
];

/** Commits of different tasks, each of which counts only where epoch, holder and place are as expected. */
function writeAll(backend: Backend, commits: readonly Partial<Commit>[]): readonly object[] {
  return commits.flatMap((each) => {
    const task = backend.tables.task.get(each.id ?? "");
    return task !== undefined && isCurrent(task, each) ? [write(backend, task, each)] : [];
  });
}

function commitOf(columns: readonly string[], at: (column: number) => unknown): Partial<Commit> {
  return Object.fromEntries(columns.map((name, column) => [name, at(column)]));
}

function one(columns: readonly string[]): Statement {
  return (backend, values) => writeAll(backend, [commitOf(columns, (column) => values[column])]);
}

/** Reads a list as the driver sends it: texts in the binary format, numbers and booleans in the text format. */
function listOf(value: unknown): readonly unknown[] {
  if (!Buffer.isBuffer(value)) {
    const cells = String(value).slice(1, -1).split(",");
    return cells.map((cell) => (cell === "NULL" ? null : JSON.parse(cell)));
  }
  const texts: (string | null)[] = [];
  for (let at = headBytes; at < value.byteLength; ) {
    const size = value.readInt32BE(at);
    texts.push(size < 0 ? null : value.toString("utf8", at + 4, at + 4 + size));
    at += 4 + Math.max(0, size);
  }
  return texts;
}

/** Dimensions, nulls, the type, and the bounds of a list. */
const headBytes = 20;

function many(columns: readonly string[]): Statement {
  return (backend, values) => {
    const lists = values.map(listOf);
    const commits = (lists[0] ?? []).map((_, place) => commitOf(columns, (column) => lists[column]?.[place]));
    return writeAll(backend, commits);
  };
}

/** Of a task that is to be unfinished again: its owner may have too many. */
const commitAgain: Statement = (backend, values) => {
  const [owner, max] = values.slice(allColumns.length) as [Uint8Array, number];
  return unfinishedOf(backend.tables, hex(owner), max) < max ? one(allColumns)(backend, values) : [];
};

/** Statements that commit, by the names under which the store prepares them. */
export const commitStatements: { readonly [name: string]: Statement } = {
  commit: one(allColumns),
  commit_many: many(allColumns),
  checkpoint: one(checkpointColumns),
  checkpoint_many: many(checkpointColumns),
  commit_again: commitAgain,
};

function isCurrent(task: TaskRow, { epoch, holder, after_seq }: Partial<Commit>): boolean {
  return task.epoch === epoch && task.holder === holder && task.last_seq === after_seq;
}

function write(backend: Backend, task: TaskRow, each: Partial<Commit>): object {
  const { tables } = backend;
  const {
    id = "",
    after_seq = 0,
    consume = null,
    body = "",
    items = null,
    end_item = null,
    size = 0,
    at_ms = 0,
    ...rest
  } = each;
  const { claims = false, snapshot = null, answered = null, questions, ...given } = rest;
  const consumed: readonly string[] = consume === null ? [] : JSON.parse(consume);
  const signals: readonly SignalValue[] = task.signals.filter(({ i }) => !consumed.includes(i));
  const claim = claims ? tables.claim.next() : task.claim;
  const next: TaskRow = {
    ...{ ...task, ...given, claim, signals },
    questions: questions === undefined ? task.questions : JSON.parse(questions),
  };
  checkUnique(backend, next);
  tables.task.set(id, next);
  const { last_seq, epoch, items_from_seq, bytes } = next;
  if (last_seq > after_seq)
    tables.journal.set(id, [
      ...(tables.journal.get(id) ?? []),
      { last_seq, epoch, at_ms, size, body, items, end_item },
    ]);
  const keys: readonly string[] = answered === null ? [] : JSON.parse(answered);
  for (const key of keys) addAnswer(tables, id, `${items_from_seq}/${key}`);
  if (snapshot !== null) {
    const { compacted_seq = 0, compacted_bytes = 0 } = tables.snapshot.get(id) ?? {};
    tables.snapshot.set(id, { seq: last_seq, record: snapshot, bytes, compacted_seq, compacted_bytes });
  }
  return { id, signals };
}
