import type { Json, TaskRecord } from "@resumable-mcp/core";
import { type EventPage, type ItemPage, storeErrors } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { isTaskId } from "../database/hash.js";
import { decodeEvents } from "./encode-events.js";

const maxPage = 10_000;

const eventsStatement = {
  name: "events",
  text: `SELECT t.last_seq, n.record, e.bodies, e.items
    FROM store.task t LEFT JOIN store.snapshot n ON n.task = t.id AND $2 < n.compacted_seq
    LEFT JOIN LATERAL (
      SELECT array_agg(x.body ORDER BY x.last_seq) AS bodies, array_agg(x.items ORDER BY x.last_seq) AS items
      FROM (
        SELECT j.last_seq, j.body, j.items, sum(j.size) OVER (ORDER BY j.last_seq) - j.size AS before
        FROM (SELECT * FROM store.journal j WHERE j.task = t.id AND j.last_seq > greatest($2, coalesce(n.seq, 0))
          ORDER BY j.last_seq LIMIT $3) j) x
      WHERE x.before <= $4) e ON true
    WHERE t.id = $1`,
};

interface EventsRow {
  readonly last_seq: number;
  readonly record: string | null;
  readonly bodies: readonly string[] | null;
  readonly items: readonly (string | null)[] | null;
}

const itemsStatement = {
  name: "items",
  text: `SELECT t.item_count, e.ends, e.items
    FROM store.task t LEFT JOIN LATERAL (
      SELECT array_agg(x.end_item::double precision ORDER BY x.end_item) AS ends, array_agg(x.items ORDER BY x.end_item) AS items
      FROM (
        SELECT j.end_item, j.items, sum(j.size) OVER (ORDER BY j.end_item) - j.size AS before
        FROM (SELECT * FROM store.journal j WHERE j.task = t.id AND j.items IS NOT NULL AND j.last_seq >= t.items_from_seq
          AND j.end_item > $2 ORDER BY j.end_item LIMIT $3) j) x
      WHERE x.before <= $4) e ON true
    WHERE t.id = $1`,
};

interface ItemsRow {
  readonly item_count: number;
  readonly ends: readonly number[] | null;
  readonly items: readonly string[] | null;
}

const chunkStatement = {
  name: "read_chunk",
  text: `SELECT c.bytes FROM store.task t LEFT JOIN store.chunk c ON c.task = t.id AND c.artifact = $2 AND c.place = $3
    WHERE t.id = $1`,
};

/** Reads parts of tasks. */
export class JournalReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads events from behind a cursor. */
  async readEvents(id: string, { afterSeq, limit }: { afterSeq: number; limit: number }): Promise<EventPage> {
    const after = Math.max(afterSeq, 0);
    const row = await this.#page<EventsRow>(eventsStatement, id, after, limit);
    const snapshot: TaskRecord | undefined = row.record === null ? undefined : JSON.parse(row.record);
    const from = snapshot?.lastSeq ?? after;
    const events = (row.bodies ?? []).flatMap((body, index) => decodeEvents(body, row.items?.[index] ?? null));
    return { snapshot, events: events.filter(({ seq }) => seq > from).slice(0, limit), lastSeq: row.last_seq };
  }

  /** Reads items of the present generation. */
  async readItems(id: string, { after, limit }: { after: number; limit: number }): Promise<ItemPage> {
    const start = Math.max(after, 0);
    const row = await this.#page<ItemsRow>(itemsStatement, id, start, limit);
    const items = (row.items ?? []).flatMap((text, index) => {
      const all: readonly Json[] = JSON.parse(text);
      const first = (row.ends?.[index] ?? 0) - all.length;
      return all.slice(Math.max(start - first, 0));
    });
    const page = items.slice(0, limit);
    return { items: page, next: Math.min(start, row.item_count) + page.length, total: row.item_count };
  }

  async readChunk(id: string, artifact: string, index: number): Promise<Uint8Array | undefined> {
    if (!isTaskId(id)) throw storeErrors.taskNotFound(id);
    const values = [id, artifact, index];
    const [row] = await this.#database.query<{ bytes: Buffer | null }>("read", chunkStatement, values);
    if (row === undefined) throw storeErrors.taskNotFound(id);
    return row.bytes ?? undefined;
  }

  async #page<Row>(statement: typeof eventsStatement, id: string, after: number, limit: number): Promise<Row> {
    if (!isTaskId(id)) throw storeErrors.taskNotFound(id);
    const rows = Math.min(Math.max(limit, 1), maxPage);
    const values = [id, after, rows, this.#database.limits.maxPageBytes];
    const [row] = await this.#database.query<Row>("read", statement, values);
    if (row === undefined) throw storeErrors.taskNotFound(id);
    return row;
  }
}
