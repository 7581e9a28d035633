import type { StoreAdmin, StoredDocument, StoreSizes, StoreWriting } from "@resumable-mcp/core/store";
import { createPostgresStore } from "../create-postgres-store.js";
import { Database } from "../database/database.js";
import { postgresStoreDefaults } from "../database/limits.js";
import { openDatabase } from "../database/open-database.js";
import { storeFailure } from "../database/store-errors.js";
import { holdersStatement } from "../task/death-notices.js";
import { checkAllRows } from "./check-database.js";
import { ImportDraft } from "./import-draft.js";

/** Which store an operator opens. */
export interface PostgresAdminOptions {
  /** `postgres://user@host:5432/database`; what it leaves out comes from `PGHOST`, `PGUSER`, `PGPASSWORD` and the like. */
  readonly connectionString?: string;
  /** Asked for each connection. */
  readonly password?: (() => Promise<string>) | undefined;
  /** Default `resumable_mcp`. */
  readonly schema?: string | undefined;
}

const pageSize = 500;

const measureStatement = {
  name: "measure",
  text: `SELECT (SELECT count(*) FROM store.task WHERE finished_ms IS NULL) AS unfinished,
    (SELECT count(*) FROM store.document) AS documents, (SELECT count(*) FROM store.worker) AS workers,
    (SELECT coalesce(sum(t.bytes + t.chunk_bytes), 0)::bigint FROM store.task t) AS "countedBytes",
    (SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relkind = 'r') AS bytes`,
};

const describeStatement = {
  name: "describe",
  text: `SELECT t.epoch, t.holder AS worker, (SELECT count(*) FROM store.journal j WHERE j.task = t.id) AS "journalRows"
    FROM store.task t WHERE t.id = $1`,
};

const documentsStatement = {
  name: "documents",
  text: `SELECT kind, id AS hash, name, owner, value, version, updated_ms FROM store.document
    WHERE (kind, id) > ($1, $2) ORDER BY kind, id LIMIT $3`,
};

/**
 * Opens a database for an operator. The server is reached when something is first asked of it.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for an option that cannot be used; from then on what a store refuses.
 */
export function openPostgresAdmin({ connectionString, password, schema }: PostgresAdminOptions): StoreAdmin {
  const address = { connectionString, password, schema: schema ?? "resumable_mcp" };
  // What a server keeps is judged by those who run tasks on it.
  const store = createPostgresStore({ ...address, durability: "process", migrate: false });
  const database = new Database({ ...address, limits: postgresStoreDefaults, warn: () => {} });
  return {
    place: database.place,
    reading: store,
    async describeTask(id) {
      type Row = { readonly epoch: number; readonly worker: string | null; readonly journalRows: number };
      return (await database.query<Row>("read", describeStatement, [id]))[0] ?? {};
    },
    measure: () => measure(database, () => store.open()),
    async processes() {
      type Row = { readonly pid: number; readonly host: string };
      const rows = await database.query<Row>("read", holdersStatement, [database.schema]);
      return rows.map(({ pid, host }) => `the process on ${host} with connection ${pid}`);
    },
    // A damaged task is in the lists, which read its row alone.
    async *unlistedIds() {},
    documents: () => documents(database),
    check: async () => {
      await store.open();
      return checkAllRows(database, store);
    },
    migrate: () => openDatabase(database, { durability: "process", migrate: true }),
    async write(work, mayBeMade = false) {
      await openDatabase(database, { durability: "process", migrate: mayBeMade });
      const writer = new Writer(database);
      try {
        return await work({ ...contractOf(store), beginTask: (task) => writer.begin(task) });
      } finally {
        writer.close();
      }
    },
    async close() {
      try {
        await store.close();
      } finally {
        await database.close();
      }
    },
  };
}

function contractOf(store: ReturnType<typeof createPostgresStore>): Omit<StoreWriting, "beginTask"> {
  const { getTask, signal, acquireLease, releaseLease, commit, deleteTask, getDocument, putDocument, deleteDocument } =
    store;
  return { getTask, signal, acquireLease, releaseLease, commit, deleteTask, getDocument, putDocument, deleteDocument };
}

/** One connection for all tasks of an import. */
class Writer {
  readonly #database: Database;
  #connection: ReturnType<Database["connect"]> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async begin(task: Parameters<StoreWriting["beginTask"]>[0]): Promise<ImportDraft> {
    this.#connection ??= this.#database.connect();
    try {
      const { client } = await this.#connection;
      return await ImportDraft.begin(this.#database, client, task);
    } catch (error) {
      throw storeFailure(error, "write", this.#database.place);
    }
  }

  close(): void {
    this.#connection?.then(
      ({ close }) => close(),
      () => {},
    );
  }
}

async function measure(database: Database, open: () => Promise<void>): Promise<StoreSizes> {
  await open();
  const [sizes] = await database.query<StoreSizes>("read", measureStatement, [database.schema]);
  if (sizes === undefined) throw new Error("A statement without FROM gives one row.");
  return sizes;
}

async function* documents(database: Database): AsyncGenerator<StoredDocument> {
  type Row = {
    kind: string;
    hash: Buffer;
    name: string;
    owner: string;
    value: string;
    version: number;
    updated_ms: number;
  };
  for (let after: readonly [string, Buffer] = ["", Buffer.alloc(0)]; ; ) {
    const rows = await database.query<Row>("read", documentsStatement, [...after, pageSize]);
    for (const { kind, name, owner, value, version, updated_ms } of rows) {
      const updatedAt = new Date(updated_ms).toISOString();
      yield { kind, id: JSON.parse(name), owner: JSON.parse(owner), value: JSON.parse(value), version, updatedAt };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = [last.kind, last.hash];
  }
}
