import type { Json, Store, TaskRecord } from "@resumable-mcp/core";
import { isResumableError } from "@resumable-mcp/core";
import {
  canonicalJson,
  reduceTask,
  type StoreCheck,
  type StoreProblem,
  type TaskEvent,
} from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { readQuestions, toFold } from "../journal/task-columns.js";

const pageSize = 500;
/** How many times a task that a server writes meanwhile is read. */
const maxAttempts = 5;

const idsStatement = { name: "check_ids", text: "SELECT id FROM store.task WHERE id > $1 ORDER BY id LIMIT $2" };

const foldColumns = Object.keys({
  last_seq: 0,
  status: 0,
  terminal: 0,
  live: 0,
  pausing: 0,
  detached: 0,
  crashes: 0,
  tool_version: 0,
  finished_ms: 0,
  items_from_seq: 0,
  item_count: 0,
  runnable_ms: 0,
  brief: 0,
} satisfies { readonly [Name in Exclude<keyof ReturnType<typeof toFold>, "questions">]: 0 });

const rowStatement = {
  name: "check_row",
  text: `SELECT ${foldColumns.join(", ")}, questions FROM store.task WHERE id = $1`,
};

/** Rows of a table without their task. A deletion removes all of them in one statement. */
const orphansStatement = (table: "journal" | "snapshot" | "answer") => ({
  name: `check_${table}`,
  text: `SELECT DISTINCT x.task FROM store.${table} x WHERE NOT EXISTS (SELECT FROM store.task t WHERE t.id = x.task) LIMIT 1000`,
});

/** An unfinished task that its call does not lead to: a finished one has claimed the call after it. */
const unclaimedStatement = {
  name: "check_claims",
  text: `SELECT t.id FROM store.task t WHERE t.finished_ms IS NULL AND t.call IS NOT NULL
    AND EXISTS (SELECT FROM store.task o WHERE o.call = t.call AND o.claim > t.claim)`,
};

const documentsStatement = {
  name: "check_documents",
  text: "SELECT kind, encode(id, 'hex') AS hash, name, owner, value FROM store.document WHERE (kind, id) > ($1, $2) ORDER BY kind, id LIMIT $3",
};

/** Reads all of a database: whether every task folds to what its row says, and what belongs to no task. */
export async function checkAllRows(database: Database, store: Store): Promise<StoreCheck> {
  const problems: StoreProblem[] = [];
  let tasks = 0;
  for (let after = ""; ; ) {
    const rows = await database.query<{ id: string }>("read", idsStatement, [after, pageSize]);
    for (const { id } of rows) {
      tasks += 1;
      problems.push(...(await taskProblems(database, store, id)));
    }
    if (rows.length < pageSize) break;
    after = rows.at(-1)?.id ?? after;
  }
  for (const table of ["journal", "snapshot", "answer"] as const) {
    const rows = await database.query<{ task: string }>("read", orphansStatement(table), []);
    const message = "belongs to a task that is not there";
    for (const { task } of rows) {
      problems.push({ kind: "orphaned", severity: "harmless", taskId: task, path: table, message });
    }
  }
  const unclaimed = await database.query<{ id: string }>("read", unclaimedStatement, []);
  const message = "its call leads to another task: the same call begins a second one";
  for (const { id } of unclaimed)
    problems.push({ kind: "unclaimed", severity: "damage", taskId: id, path: "task", message });
  problems.push(...(await documentProblems(database)));
  return { tasks, problems };
}

/** Servers write meanwhile: what differs counts when the task is the same before and after. */
async function taskProblems(database: Database, store: Store, id: string): Promise<readonly StoreProblem[]> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await rowOf(database, id);
    if (before === undefined) return [];
    const message = await difference(store, id, before);
    if (message === undefined) return [];
    const after = await rowOf(database, id);
    if (attempt === maxAttempts || canonical(after) === canonical(before)) {
      return [{ kind: "damaged", severity: "damage", taskId: id, path: "journal", message }];
    }
  }
}

type Row = { readonly [column: string]: unknown };

async function rowOf(database: Database, id: string): Promise<Row | undefined> {
  return (await database.query<Row>("read", rowStatement, [id]))[0];
}

/** How a task's row differs from what its journal folds to. */
async function difference(store: Store, id: string, row: Row): Promise<string | undefined> {
  try {
    const record = await foldAll(store, id);
    const { questions: _, ...fold } = toFold(record, []);
    const expected: Row = { ...fold, questions: [...readQuestions(record)].sort() };
    const found: Row = { ...row, questions: Array.isArray(row.questions) ? [...row.questions].sort() : null };
    const column = Object.keys(expected).find((name) => canonical(expected[name]) !== canonical(found[name]));
    if (column !== undefined) return `the journal gives another ${column} than the row of the task`;
    const short = await store.getTask(id);
    if (short !== undefined && canonical(short.record) !== canonical(record))
      return "the snapshot differs from the journal";
    const items = await countItems(store, id);
    return items === record.itemCount ? undefined : `${items} items of ${record.itemCount} can be read`;
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
    if (isResumableError(error, "STORE_READ_FAILED", "STORE_MISSING")) throw error;
    return `the journal cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function foldAll(store: Store, id: string): Promise<TaskRecord> {
  let record: TaskRecord | undefined;
  for (;;) {
    const afterSeq: number = record?.lastSeq ?? 0;
    const page: { events: readonly TaskEvent[]; snapshot?: TaskRecord; lastSeq: number } = await store.readEvents(id, {
      afterSeq,
      limit: pageSize,
    });
    record = page.snapshot ?? record;
    if (page.events.length > 0) record = reduceTask(record, page.events);
    if (record !== undefined && record.lastSeq >= page.lastSeq) return record;
    if (page.events.length === 0) throw new Error(`the events behind ${afterSeq} are missing`);
  }
}

async function countItems(store: Store, id: string): Promise<number> {
  for (let after = 0; ; ) {
    const { items, next, total } = await store.readItems(id, { after, limit: pageSize });
    after = next;
    if (items.length === 0 || next >= total) return next;
  }
}

async function documentProblems(database: Database): Promise<readonly StoreProblem[]> {
  type Document = { kind: string; hash: string; name: string; owner: string; value: string };
  const problems: StoreProblem[] = [];
  for (let after: readonly [string, Buffer] = ["", Buffer.alloc(0)]; ; ) {
    const rows = await database.query<Document>("read", documentsStatement, [...after, pageSize]);
    for (const { kind, hash, name, owner, value } of rows) {
      if ([name, owner, value].every(isJson)) continue;
      const message = `the document of kind ${kind} cannot be read`;
      problems.push({ kind: "damaged_server_document", severity: "damage", path: `document ${hash}`, message });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return problems;
    after = [last.kind, Buffer.from(last.hash, "hex")];
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Rows and records hold only what JSON holds. */
function canonical(value: unknown): string {
  const copy: Json = JSON.parse(JSON.stringify(value ?? null));
  return canonicalJson(copy);
}
