import { ResumableError, type Store } from "@resumable-mcp/core";
import { contractVersion, type Observer } from "@resumable-mcp/core/store";
import type { Disk } from "./disk/disk.js";
import type { FsStoreLimits } from "./disk/limits.js";
import type { Host } from "./disk/platform.js";
import { createHost } from "./disk/platform.js";
import { createContext, type StoreContext } from "./disk/store-context.js";
import { storeClosed, storeFailure } from "./disk/store-errors.js";
import { openFolder } from "./index/store-folder.js";
import { closeStore, type OpenStore, openStore } from "./open-store.js";
import { signalTask } from "./task/task-signals.js";

/**
 * Creates a store in a folder of the local file system. Several processes may use one folder.
 *
 * The folder is opened when the store is first used; a store that is not used makes nothing.
 *
 * Durability: `options.durability`; `machine` by default.
 * Limits: `fsStoreDefaults`, each of which `options.limits` may change.
 *
 * @throws {@link ResumableError} from the first call: `STORE_LAYOUT` for a folder of another layout,
 * `STORE_WRITE_FAILED` for one that cannot be written, `INVALID_OPTION` for a network file system.
 *
 * @example
 * ```ts
 * const store = createFsStore({ directory: ".resumable-mcp" });
 * const engine = createEngine({ store, tools });
 * ```
 */
export function createFsStore(options: FsStoreOptions): Store {
  const lazy = new LazyStore(options);
  const write = lazy.method("write");
  const read = lazy.method("read");
  return {
    contractVersion,
    capabilities: Object.freeze({ durability: options.durability ?? "machine", shared: true }),
    open: write(async () => {}),
    createTask: write((store, request) => store.creator.create(request)),
    getTask: read(async ({ reader }, id) => {
      const reading = await reader.read(id);
      return reading && reader.snapshotOf(reading);
    }),
    listTasks: read(({ lists }, query) => lists.listTasks(query)),
    listExpired: read(({ lists }, request) => lists.listExpired(request)),
    countTasks: read(({ lists }, query) => lists.countTasks(query)),
    listRunnable: read(({ lists }, request) => lists.listRunnable(request)),
    acquireLease: write(({ book }, request) => book.acquire(request)),
    heartbeat: write(async ({ guard, workers, leaseFiles }, { worker }) => {
      guard.checkAll();
      workers.heartbeat(worker);
      leaseFiles.tidy();
    }),
    releaseLease: write(({ book }, lease) => book.release(lease)),
    commit: lazy.method(
      "write",
      "afterwards",
    )(async ({ book }, request) => book.writerOf(request.lease).commit(request)),
    readEvents: read(({ journal }, id, range) => journal.readEvents(id, range)),
    readItems: read(({ journal }, id, range) => journal.readItems(id, range)),
    signal: write((store, id, signal) => signalTask(store, id, signal)),
    watch: (id, wake) => lazy.open().notifications.watch(id, wake),
    deleteTask: write(({ remover }, lease) => remover.remove(lease)),
    getDocument: read(({ documentFiles }, kind, id) => documentFiles.get(kind, id)),
    putDocument: write(({ documentFiles }, request) => documentFiles.put(request)),
    deleteDocument: write(({ documentFiles }, kind, id) => documentFiles.delete(kind, id)),
    listIdleDocuments: read(({ documentFiles }, request) => documentFiles.listIdle(request)),
    checkHealth: read(async () => {}),
    close: () => lazy.close(),
  };
}

type Timed = { readonly now: { readonly wallMs: number; readonly monotonicMs: number } };

/** A store that is opened by its first use. */
class LazyStore {
  #opened: OpenStore | undefined;
  #closing: Promise<void> | undefined;
  #cleaning: Promise<void> | undefined;
  readonly #options: FsStoreOptions;

  constructor(options: FsStoreOptions) {
    this.#options = options;
  }

  open(): OpenStore {
    if (this.#closing !== undefined) throw storeClosed();
    if (this.#opened !== undefined) return this.#opened;
    const options = this.#options;
    const context = contextOf(options);
    try {
      openFolder(context, options.allowNetworkFileSystem ?? false);
    } catch (error) {
      throw storeFailure(error, "write", context.layout.directory);
    }
    const store = openStore(context, options.host ?? createHost());
    this.#enter(store);
    this.#opened = store;
    this.#cleaning = cleanUp(store);
    return store;
  }

  #enter({ guard, workers, context }: OpenStore): void {
    try {
      guard.open();
      workers.open();
    } catch (error) {
      throw storeFailure(error, "write", context.layout.directory);
    }
  }

  /**
   * Makes a method that opens the store, takes note of the time, and turns what the system refuses into its errors.
   *
   * @param looks when it looks whether the folder is still there. A commit notices by itself, from the names that it has
   * to look at.
   */
  method(kind: "read" | "write", looks: "before" | "afterwards" = "before") {
    return <Parameters extends readonly unknown[], Result>(
      run: (store: OpenStore, ...parameters: Parameters) => Promise<Result>,
    ) =>
      async (...parameters: Parameters): Promise<Result> => {
        const store = this.open();
        const [first] = parameters;
        if (isTimed(first)) store.workers.noteTime(first.now);
        else store.workers.noteNoTime();
        try {
          if (looks === "before") store.guard.check();
          if (kind === "write" && !store.folder.isDone) await store.folder.finish();
          return await run(store, ...parameters);
        } catch (error) {
          throw storeFailure(reasonOf(store, error), kind, store.context.layout.directory);
        }
      };
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await this.#cleaning;
    if (this.#opened !== undefined) await closeStore(this.#opened);
  }
}

/** Whatever failed, a folder that was taken away is the reason. */
function reasonOf({ guard }: OpenStore, error: unknown): unknown {
  try {
    guard.check();
    return error;
  } catch (reason) {
    return reason;
  }
}

/** Failing to clean up does no harm: the next process that opens the folder tries again. */
async function cleanUp({ remover, workers }: OpenStore): Promise<void> {
  try {
    await remover.emptyTrash();
    workers.forgetDead();
  } catch {
    // Nothing here belongs to a caller.
  }
}

function isTimed(value: unknown): value is Timed {
  return typeof value === "object" && value !== null && "now" in value;
}

function contextOf(options: FsStoreOptions): StoreContext {
  const { directory, durability = "machine", limits, observer, disk } = options;
  if (directory === "") {
    throw new ResumableError("INVALID_OPTION", "A file store needs a directory.", { details: { option: "directory" } });
  }
  return createContext({
    directory,
    durable: durability === "machine",
    limits,
    disk,
    warn: options.onWarning,
    observe: observer,
    unique: options.createName,
  });
}

/** What a file store is made of. Everything but the directory has a default. */
export interface FsStoreOptions {
  /** Made when first used, with those above it. */
  readonly directory: string;
  /**
   * What a resolved commit survives: the loss of power (`machine`, the default), or only the death of the process.
   */
  readonly durability?: "machine" | "process";
  readonly limits?: Partial<FsStoreLimits>;
  /** Hears of what happens at named points (see `observerPoints`), for tracing and for fault injection. */
  readonly observer?: Observer;
  /** Receives a sentence for the operator on damage that the store found and repaired by itself. */
  readonly onWarning?: (message: string) => void;
  /** Uses a file system that several machines share, where locks and renames may not mean what they say. */
  readonly allowNetworkFileSystem?: boolean;
  /** The file system; the machine's by default. */
  readonly disk?: Disk;
  /** Who this process is, and what it knows of others; asked of the machine by default. */
  readonly host?: Host;
  /** Makes names that no other process makes, out of `A-Z a-z 0-9 _ -`. */
  readonly createName?: () => string;
}
