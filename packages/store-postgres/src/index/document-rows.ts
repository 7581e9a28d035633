import type { Store } from "@resumable-mcp/core";
import { type DocumentSummary, type StoredDocument, storeErrors } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { hashValue } from "../database/hash.js";
import { invalidOption } from "../database/store-errors.js";

const columnsOfLists = "kind, name, owner, version, updated_ms";
const columns = `${columnsOfLists}, value`;

const getStatement = {
  name: "document",
  text: `SELECT ${columns} FROM store.document WHERE kind = $1 AND id = $2`,
};

/**
 * A fail-over to a standby that is behind brings an earlier version back. With steps of one, what another process puts then would
 * get the versions that were lost, and their writer would take it for its own. 2^53 is far away after 500 million puts.
 */
const step = "1 + floor(random() * 16777216)::bigint";

const putStatement = {
  name: "document_put",
  text: `WITH u AS (UPDATE store.document SET owner = $4, value = $5, version = version + ${step}, updated_ms = $7
      WHERE kind = $1 AND id = $2 AND version = $6 RETURNING ${columns}),
    i AS (INSERT INTO store.document (id, ${columns}, counted_as) SELECT $2, $1, $3, $4, ${step}, $7, $5, $8
      WHERE CASE WHEN $6 <> 0 THEN false WHEN $8::bytea IS NULL THEN true ELSE store.documents_of_v1($8, $9) < $9 END
      ON CONFLICT DO NOTHING RETURNING ${columns})
    SELECT * FROM u UNION ALL SELECT * FROM i`,
};

const deleteStatement = { name: "document_delete", text: "DELETE FROM store.document WHERE kind = $1 AND id = $2" };

const idleStatement = {
  name: "document_idle",
  text: `SELECT ${columnsOfLists} FROM store.document WHERE kind = $1 AND updated_ms < $2 ORDER BY updated_ms, id LIMIT $3`,
};

const idleOfGroupStatement = {
  name: "document_idle_of_group",
  text: `SELECT ${columnsOfLists} FROM store.document WHERE counted_as = $1 AND updated_ms < $2 ORDER BY updated_ms, id LIMIT $3`,
};

interface ListedRow {
  readonly kind: string;
  readonly name: string;
  readonly owner: string;
  readonly version: number;
  readonly updated_ms: number;
}

interface DocumentRow extends ListedRow {
  readonly value: string;
}

/** The documents of servers: each put is a compare-and-set of its version. */
export class DocumentRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads a document, if there is one. */
  async get(kind: string, id: string): Promise<StoredDocument | undefined> {
    const [row] = await this.#database.query<DocumentRow>("read", getStatement, addressOf(kind, id));
    return row && documentOf(row);
  }

  /** Writes a document whose version is the expected one. */
  async put(request: Parameters<Store["putDocument"]>[0]): Promise<StoredDocument> {
    const { kind, id, owner, value, expectedVersion, counted, now } = request;
    const texts = [id, owner, value].map((each) => JSON.stringify(each));
    const group = counted === undefined ? [null, null] : [hashValue([kind, counted.group]), counted.max];
    const values = [...addressOf(kind, id), ...texts, expectedVersion, Math.floor(now.wallMs), ...group];
    const [row] = await this.#database.query<DocumentRow>("write", putStatement, values);
    if (row !== undefined) return documentOf(row);
    const isFull = counted !== undefined && expectedVersion === 0 && (await this.get(kind, id)) === undefined;
    throw isFull ? storeErrors.groupFull(counted) : storeErrors.documentConflict(kind, id);
  }

  /** Deletes a document, if there is one. */
  async delete(kind: string, id: string): Promise<void> {
    await this.#database.query("write", deleteStatement, addressOf(kind, id));
  }

  /** Lists documents that were last put before a time, oldest first. */
  async listIdle(request: Parameters<Store["listIdleDocuments"]>[0]): Promise<readonly DocumentSummary[]> {
    const { kind, group, idleSinceMs, limit } = request;
    const [statement, of] =
      group === undefined ? [idleStatement, checkedKind(kind)] : [idleOfGroupStatement, hashValue([kind, group])];
    const values = [of, Math.ceil(idleSinceMs), limit];
    return (await this.#database.query<ListedRow>("read", statement, values)).map(summaryOf);
  }
}

function addressOf(kind: string, id: string): readonly [string, Buffer] {
  return [checkedKind(kind), hashValue(id)];
}

function checkedKind(kind: string): string {
  if (/^[a-z-]{1,32}$/.test(kind)) return kind;
  throw invalidOption("kind", "The kind of a document must be 1 to 32 characters out of a-z and -.");
}

function documentOf(row: DocumentRow): StoredDocument {
  return { ...summaryOf(row), value: JSON.parse(row.value) };
}

function summaryOf({ kind, name, owner, version, updated_ms }: ListedRow): DocumentSummary {
  return {
    kind,
    id: JSON.parse(name),
    owner: JSON.parse(owner),
    version,
    updatedAt: new Date(updated_ms).toISOString(),
  };
}
