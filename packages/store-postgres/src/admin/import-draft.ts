import { isFinal, type Json, type TaskRecord } from "@resumable-mcp/core";
import {
  reduceTask,
  type Signal,
  storeErrors,
  type TaskBeginning,
  type TaskDraft,
  type TaskEvent,
} from "@resumable-mcp/core/store";
import type { ClientBase } from "pg";
import type { Database } from "../database/database.js";
import { hashCall, hashValue, isTaskId, toHex } from "../database/hash.js";
import { invalidOption, storeFailure } from "../database/store-errors.js";
import { encodeStored } from "../journal/encode-events.js";
import { readQuestions, toFold } from "../journal/task-columns.js";
import { signalRow } from "../task/task-signals.js";

const itemsPerRow = 256;

/** Journal rows of base items: each needs an event of its own that it may stand at. */
interface BaseItems {
  /** Where the next row stands. */
  seq: number;
  readonly lastSeq: number;
  readonly perRow: number;
  items: Json[];
}

/**
 * A task of another store on its way into the database, in a transaction of its own: its journal row by row, and at the end the row
 * that makes it a task.
 */
export class ImportDraft implements TaskDraft {
  readonly id: string;
  record: TaskRecord | undefined;
  readonly #database: Database;
  readonly #client: ClientBase;
  readonly #base: TaskRecord | null;
  readonly #signals: readonly Signal[];
  readonly #isThere: boolean;
  readonly #baseItems: BaseItems;
  #itemCount = 0;
  #bytes = 0;
  #chunkBytes = 0;
  #baseBytes = 0;
  #isOver = false;

  private constructor(database: Database, client: ClientBase, task: TaskBeginning, isThere: boolean) {
    this.id = task.id;
    this.record = task.base ?? undefined;
    this.#database = database;
    this.#client = client;
    this.#base = task.base;
    this.#signals = task.signals;
    this.#isThere = isThere;
    const { itemsFromSeq = 1, lastSeq = 1, itemCount = 0 } = task.base ?? {};
    const perRow = Math.max(itemsPerRow, Math.ceil(itemCount / (lastSeq - itemsFromSeq + 1)));
    this.#baseItems = { seq: itemsFromSeq, lastSeq, perRow, items: [] };
  }

  /** Begins a transaction on a connection that nothing else uses. */
  static async begin(database: Database, client: ClientBase, task: TaskBeginning): Promise<ImportDraft> {
    if (!isTaskId(task.id))
      throw invalidOption("id", "The id of a task must be 16 to 64 characters out of A-Z a-z 0-9 _ -.");
    await run(database, client, "BEGIN");
    const there = await run(database, client, "SELECT FROM store.task WHERE id = $1", [task.id]);
    return new ImportDraft(database, client, task, there.length > 0);
  }

  async addItems(items: readonly Json[]): Promise<void> {
    this.#baseItems.items.push(...items);
    while (this.#baseItems.items.length >= this.#baseItems.perRow) await this.#writeBaseItems();
  }

  async addEvents(events: readonly TaskEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#endBase();
    for (const part of partsOf(events)) {
      const { events: stored, body, items, itemCount, bytes } = encodeStored(part);
      this.record = reduceTask(this.record, stored);
      const { lastSeq, itemCount: endItem } = this.record;
      await this.#writeRow(lastSeq, bytes, body, items, itemCount === 0 ? null : endItem);
    }
  }

  async addChunk(artifact: string, index: number, bytes: Uint8Array): Promise<void> {
    this.#chunkBytes += bytes.byteLength;
    if (this.#isThere) return;
    await this.#run("INSERT INTO store.chunk (task, artifact, place, bytes) VALUES ($1, $2, $3, $4)", [
      this.id,
      artifact,
      index,
      bytes,
    ]);
  }

  async finish(): Promise<boolean> {
    await this.#endBase();
    const { record } = this;
    if (record === undefined) throw new Error("A task has events.");
    if (this.#isThere) {
      if (await this.#isSame(record)) return false;
      throw storeErrors.taskExists(record.id);
    }
    await this.#refuseRival(record);
    await this.#writeSnapshot(record);
    await this.#writeTask(record);
    await this.#writeAnswers(record);
    await this.#run("COMMIT");
    this.#isOver = true;
    this.#checkConfirmed();
    return true;
  }

  #checkConfirmed(): void {
    try {
      this.#database.checkConfirmed(this.#client);
    } catch (error) {
      throw storeFailure(error, "write", this.#database.place);
    }
  }

  async discard(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#run("ROLLBACK");
  }

  async #endBase(): Promise<void> {
    while (this.#baseItems.items.length > 0) await this.#writeBaseItems();
    if (this.#base !== null && this.record === this.#base) this.#baseBytes = this.#bytes;
  }

  async #writeBaseItems(): Promise<void> {
    const { seq, lastSeq, perRow } = this.#baseItems;
    const items = this.#baseItems.items.splice(0, perRow);
    this.#itemCount += items.length;
    const text = JSON.stringify(items);
    await this.#writeRow(Math.min(seq, lastSeq), Buffer.byteLength(text), null, text, this.#itemCount);
    this.#baseItems.seq = seq + 1;
  }

  async #writeRow(
    seq: number,
    size: number,
    body: string | null,
    items: string | null,
    endItem: number | null,
  ): Promise<void> {
    this.#bytes += size;
    if (this.#isThere) return;
    await this.#run(
      "INSERT INTO store.journal (task, last_seq, epoch, at_ms, size, body, items, end_item) VALUES ($1, $2, 0, 0, $3, $4, $5, $6)",
      [this.id, seq, size, body, items, endItem],
    );
  }

  /** Ids are not to be guessed: a task of the same id that was made at the same time is the same one. */
  async #isSame({ id, createdAt, owner, tool }: TaskRecord): Promise<boolean> {
    const same = await this.#run(
      "SELECT FROM store.task WHERE id = $1 AND created_ms = $2 AND owner = $3 AND tool = $4",
      [id, Date.parse(createdAt), hashValue(owner), JSON.stringify(tool)],
    );
    return same.length > 0;
  }

  /** A call has one unfinished task. Looking and writing are one step, as where a task is made. */
  async #refuseRival(record: TaskRecord): Promise<void> {
    const call = hashCall(record);
    if (call === null) return;
    await this.#run("SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 7))", [call]);
    if (isFinal(record.status)) return;
    const [rival] = await this.#run("SELECT id FROM store.task WHERE call = $1 AND finished_ms IS NULL", [call]);
    if (rival !== undefined) throw storeErrors.keyTaken(record.id, String(rival.id));
  }

  /** Readers of what was compacted before get the base; a long journal begins to be read at its end. */
  async #writeSnapshot(record: TaskRecord): Promise<void> {
    const base = this.#base;
    const isLong = base === null && this.#bytes > this.#database.limits.snapshotBytes;
    const kept = base ?? (isLong ? record : undefined);
    if (kept === undefined) return;
    const bytes = base === null ? this.#bytes : this.#baseBytes;
    await this.#run(
      "INSERT INTO store.snapshot (task, seq, record, bytes, compacted_seq, compacted_bytes) VALUES ($1, $2, $3, $4, $5, $6)",
      [record.id, kept.lastSeq, JSON.stringify(kept), bytes, base?.lastSeq ?? 0, this.#baseBytes],
    );
  }

  async #writeTask(record: TaskRecord): Promise<void> {
    const fold = toFold(record, readQuestions(record));
    const columns = {
      ...fold,
      questions: readQuestions(record),
      id: record.id,
      owner: hashValue(record.owner),
      call: hashCall(record),
      tool: JSON.stringify(record.tool),
      created_ms: Date.parse(record.createdAt),
      ttl_ms: record.ttlMs,
      bytes: this.#bytes,
      chunk_bytes: this.#chunkBytes,
      signals: JSON.stringify(this.#signals.map(({ id: _, ...signal }) => signalRow(signal))),
    };
    const names = Object.keys(columns);
    const values = Object.values(columns);
    const places = names.map((_, index) => `$${index + 1}`).join(", ");
    // Of the tasks of a call the newest claim counts: a finished one takes the call from no other.
    const others = "SELECT min(t.claim) - 1 FROM store.task t WHERE t.call = $";
    const claim = isFinal(record.status)
      ? `coalesce((${others}${names.indexOf("call") + 1}), nextval('store.claim'))`
      : "nextval('store.claim')";
    await this.#run(
      `INSERT INTO store.task (incarnation, claim, ${names.join(", ")}) VALUES (nextval('store.claim'), ${claim}, ${places})`,
      values,
    );
  }

  /** Questions that have an answer, also one that is on its way. */
  async #writeAnswers(record: TaskRecord): Promise<void> {
    const given = Object.entries(record.remembered).flatMap(([key, { kind }]) => (kind === "answer" ? [key] : []));
    const pending = this.#signals.flatMap((signal) => (signal.kind === "answer" ? [signal.key] : []));
    const questions = [...new Set([...given, ...pending])].map(toHex);
    await this.#run("INSERT INTO store.answer (task, generation, question) SELECT $1, $2, unnest($3::text[])", [
      record.id,
      record.itemsFromSeq,
      questions,
    ]);
  }

  #run(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return run(this.#database, this.#client, text, values);
  }
}

/** A task that begins again counts its items from nothing: no row holds items of both times. */
function partsOf(events: readonly TaskEvent[]): readonly (readonly TaskEvent[])[] {
  const starts = events.flatMap(({ type }, index) => (type === "restarted" || index === 0 ? [index] : []));
  return starts.map((start, index) => events.slice(start, starts[index + 1]));
}

type Row = { readonly [column: string]: unknown };

async function run(
  database: Database,
  client: ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  try {
    return (await client.query<Row>(database.inSchema(text), [...values])).rows;
  } catch (error) {
    throw storeFailure(error, "write", database.place);
  }
}
