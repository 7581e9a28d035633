import type { Store } from "@resumable-mcp/core";
import { contractVersion, storeErrors } from "@resumable-mcp/core/store";
import type { Pool } from "pg";
import { Database } from "./database/database.js";
import { type PostgresStoreLimits, postgresStoreDefaults } from "./database/limits.js";
import { checkDatabase, openDatabase } from "./database/open-database.js";
import { DocumentRows } from "./index/document-rows.js";
import { StoreUsage } from "./index/store-usage.js";
import { TaskCreator } from "./index/task-creator.js";
import { TaskLists } from "./index/task-lists.js";
import { GroupCommit } from "./journal/group-commit.js";
import { JournalReader } from "./journal/journal-reader.js";
import { LeaseBook } from "./task/lease-book.js";
import { Notifications } from "./task/notifications.js";
import { TaskReader } from "./task/task-reader.js";
import { signalTask } from "./task/task-signals.js";
import { TaskWriter } from "./task/task-writer.js";
import { WorkerRegistry } from "./task/worker-registry.js";

/** What a PostgreSQL store is made of. Everything has a default. */
export interface PostgresStoreOptions {
  /** `postgres://user@host:5432/database`. Without it, `PGHOST`, `PGUSER`, `PGPASSWORD` and the like count, as for `psql`. */
  readonly connectionString?: string;
  /** In place of one in the connection string. A function is called for each new connection, so that the password may change. */
  readonly password?: string | (() => string | Promise<string>);
  /** Connections of the caller's own, which the store does not close; it keeps one of them for notifications. */
  readonly pool?: Pool;
  /** Of the database, made when first used. Default `resumable_mcp`. */
  readonly schema?: string;
  /**
   * What a resolved commit survives: the loss of the server's power (`machine`, the default), or only the death of this process.
   * A store does not open on a server whose settings keep less.
   */
  readonly durability?: "machine" | "process";
  /** Makes or migrates the schema when the store is opened. Default true. */
  readonly migrate?: boolean;
  readonly limits?: Partial<PostgresStoreLimits>;
  /** Receives a sentence for the operator on what failed without an effect on callers. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Creates a store in a PostgreSQL database, version 15 or later. Any number of processes on any number of machines may use one.
 *
 * The database is opened when the store is first used; a store that is not used opens no connection.
 *
 * Durability: `options.durability`; `machine` by default.
 * Limits: `postgresStoreDefaults`, each of which `options.limits` may change.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for an option that cannot be used. From the first call: `INVALID_OPTION` for a
 * server that keeps less than `durability`, `STORE_LAYOUT` for a schema of another layout.
 *
 * @example
 * ```ts
 * const store = createPostgresStore({ connectionString: "postgres://app@db.example.com/app" });
 * const engine = createEngine({ store, tools });
 * ```
 */
export function createPostgresStore(options: PostgresStoreOptions = {}): Store {
  const store = new OpenedStore(options);
  const { book, creator, database, documents, journal, lists, reader, usage, workers, writer } = store.parts;
  const when = store.whenOpen;
  return {
    contractVersion,
    capabilities: Object.freeze({ durability: options.durability ?? "machine", shared: true }),
    open: when(async () => {}),
    createTask: when((request) => creator.create(request)),
    getTask: when((id) => reader.snapshot(id)),
    listTasks: when((query) => lists.listTasks(query)),
    listExpired: when((request) => lists.listExpired(request)),
    countTasks: when((query) => lists.countTasks(query)),
    listRunnable: when((request) => lists.listRunnable(request)),
    acquireLease: when((request) => book.acquire(request)),
    heartbeat: when(async ({ worker, offers }) => {
      await workers.heartbeat(workers.nameOf(worker), offers);
      await book.releaseGivenUp();
    }),
    listOffers: when(({ worker, ttlMs }) => workers.listOffers(workers.nameOf(worker), ttlMs)),
    releaseLease: when((lease) => book.release(lease)),
    commit: when((request) => writer.commit(request)),
    readEvents: when((id, range) => journal.readEvents(id, range)),
    putChunk: when((request) => writer.putChunk(request)),
    readChunk: when((id, artifact, index) => journal.readChunk(id, artifact, index)),
    readItems: when((id, range) => journal.readItems(id, range)),
    signal: when((id, signal) => signalTask(store.parts, id, signal)),
    watch: (id, wake) => store.watch(id, wake),
    deleteTask: when((lease) => writer.delete(lease)),
    getDocument: when((kind, id) => documents.get(kind, id)),
    putDocument: when((request) => documents.put(request)),
    deleteDocument: when((kind, id) => documents.delete(kind, id)),
    listIdleDocuments: when((request) => documents.listIdle(request)),
    checkHealth: when(() => checkDatabase(database)),
    listQuotas: when(({ now }) => usage.list(now)),
    close: () => store.close(),
  };
}

/** A store that is opened by its first use. */
class OpenedStore {
  readonly parts: ReturnType<typeof createParts>;
  readonly #options: PostgresStoreOptions;
  #opening: Promise<unknown> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.parts = createParts(options);
  }

  /** Makes a method that opens the store and takes note of the time. */
  readonly whenOpen =
    <Parameters extends readonly unknown[], Result>(method: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      if (this.#closing !== undefined) throw storeErrors.storeClosed();
      const [first] = parameters;
      if (isTimed(first)) this.parts.workers.noteTime(first.now);
      await this.#open();
      return method(...parameters);
    };

  async #open(): Promise<void> {
    const { durability = "machine", migrate = true } = this.#options;
    this.#opening ??= openDatabase(this.parts.database, { durability, migrate });
    try {
      await this.#opening;
    } catch (error) {
      // The next call tries again.
      this.#opening = undefined;
      throw error;
    }
  }

  watch(id: string | undefined, wake: () => void): () => void {
    if (this.#closing !== undefined) throw storeErrors.storeClosed();
    return this.parts.notifications.watch(id, wake);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Where the server cannot be reached, the leases end with the heartbeats. */
  async #close(): Promise<void> {
    const { book, workers, notifications, database } = this.parts;
    await this.#opening?.catch(() => {});
    try {
      await book.close();
      await workers.close();
    } catch (error) {
      database.warn(`The store's leases were not given back: ${String(error)}`);
    }
    await notifications.close();
    await database.close();
  }
}

type Timed = { readonly now: { readonly wallMs: number; readonly monotonicMs: number } };

function isTimed(value: unknown): value is Timed {
  return typeof value === "object" && value !== null && "now" in value;
}

function createParts({ schema = "resumable_mcp", limits, onWarning, ...address }: PostgresStoreOptions) {
  const warn = onWarning ?? (() => {});
  const all = { ...postgresStoreDefaults, ...limits };
  const database = new Database({ ...address, schema, limits: all, warn });
  const workers = new WorkerRegistry(database);
  const notifications = new Notifications(database, workers);
  const reader = new TaskReader(database, workers);
  const usage = new StoreUsage(database);
  const book = new LeaseBook({ database, workers, reader, notifications });
  return {
    database,
    workers,
    notifications,
    reader,
    book,
    usage,
    writer: new TaskWriter({ database, book, reader, notifications, group: new GroupCommit(database) }),
    creator: new TaskCreator({ database, reader, notifications, usage }),
    lists: new TaskLists({ database, workers }),
    journal: new JournalReader(database),
    documents: new DocumentRows(database),
  };
}
