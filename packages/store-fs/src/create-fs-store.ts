import { ResumableError, type Store } from "@resumable-mcp/core";
import { contractVersion, type Lease, type Observer, storeErrors } from "@resumable-mcp/core/store";
import type { Disk } from "./disk/disk.js";
import type { FsStoreLimits } from "./disk/limits.js";
import type { Host } from "./disk/platform.js";
import { createHost } from "./disk/platform.js";
import { createContext, type StoreContext } from "./disk/store-context.js";
import { storeFailure } from "./disk/store-errors.js";
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
  const write = lazy.methods("write");
  const read = lazy.methods("read");
  const release = write(({ book }) => book.release.bind(book));
  return {
    contractVersion,
    capabilities: Object.freeze({ durability: options.durability ?? "machine", shared: true }),
    open: write(() => async () => {}),
    createTask: write(({ creator }) => creator.create.bind(creator)),
    getTask: read(({ reader }) => reader.snapshot.bind(reader)),
    listTasks: read(({ lists }) => lists.listTasks.bind(lists)),
    listExpired: read(({ lists, remover }) => async (request) => {
      // Failing here does no harm: the next sweep tries again.
      await remover.removeUnclaimed(request.now).catch(() => undefined);
      return lists.listExpired(request);
    }),
    countTasks: read(({ lists }) => lists.countTasks.bind(lists)),
    listRunnable: read(({ lists }) => lists.listRunnable.bind(lists)),
    acquireLease: write(({ book }) => book.acquire.bind(book)),
    heartbeat: write(({ guard, workers, leaseFiles }) => async ({ worker, offers }) => {
      guard.checkAll();
      workers.heartbeat(worker, offers);
      leaseFiles.tidy();
    }),
    listOffers: read(
      ({ workers }) =>
        async ({ worker, ttlMs }) =>
          workers.listOffers(worker, ttlMs),
    ),
    releaseLease: (lease) => release(lease).catch((error: unknown) => lazy.leave(lease, error)),
    commit: lazy.commit.bind(lazy),
    readEvents: read(({ journal }) => journal.readEvents.bind(journal)),
    putChunk: write(({ artifacts }) => artifacts.put.bind(artifacts)),
    readChunk: read(
      ({ artifacts }) =>
        async (id, artifact, index) =>
          artifacts.read(id, artifact, index),
    ),
    readItems: read(({ journal }) => journal.readItems.bind(journal)),
    signal: write((store) => signalTask.bind(undefined, store)),
    watch: (id, wake) => lazy.open().notifications.watch(id, wake),
    deleteTask: write(({ remover }) => remover.remove.bind(remover)),
    getDocument: read(({ documentFiles }) => documentFiles.get.bind(documentFiles)),
    putDocument: write(({ documentFiles }) => documentFiles.put.bind(documentFiles)),
    deleteDocument: write(({ documentFiles }) => documentFiles.delete.bind(documentFiles)),
    listIdleDocuments: read(({ documentFiles }) => documentFiles.listIdle.bind(documentFiles)),
    checkHealth: read(() => async () => {}),
    listQuotas: read(
      ({ usage }) =>
        async ({ now }) =>
          usage.list(now),
    ),
    close: () => lazy.close(),
  };
}

type CommitRequest = Parameters<Store["commit"]>[0];
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
    if (this.#closing !== undefined) throw storeErrors.storeClosed();
    if (this.#opened !== undefined) return this.#opened;
    const options = this.#options;
    const context = contextOf(options);
    try {
      openFolder(context, options.allowNetworkFileSystem ?? false);
      const store = openStore(context, options.host ?? createHost());
      store.guard.open();
      store.workers.open();
      this.#opened = store;
      this.#cleaning = cleanUp(store);
      return store;
    } catch (error) {
      throw storeFailure(error, "write", context.layout.directory);
    }
  }

  /**
   * A method like the others, written out since it runs at each checkpoint. It notices by itself that the folder is not
   * there, from the names that it has to look at.
   */
  async commit(request: CommitRequest): ReturnType<Store["commit"]> {
    const store = this.open();
    const { workers, folder, book } = store;
    workers.noteTime(request.now);
    try {
      if (!folder.isDone) await folder.finish();
      return await book.writerOf(request.lease).commit(request);
    } catch (error) {
      throw failureOf(store, error, "write");
    }
  }

  /**
   * Makes methods that open the store, take note of the time, and turn what the system refuses into its errors.
   *
   * A method is found, not wrapped: what it does is called by this one alone.
   */
  methods(kind: "read" | "write") {
    return <Parameters extends readonly unknown[], Result>(
      find: (store: OpenStore) => (...parameters: Parameters) => Promise<Result>,
    ) =>
      async (...parameters: Parameters): Promise<Result> => {
        const store = this.open();
        const { guard, workers, folder } = store;
        const [first] = parameters;
        if (isTimed(first)) workers.noteTime(first.now);
        else workers.noteNoTime();
        try {
          guard.check();
          if (kind === "write" && !folder.isDone) await folder.finish();
          const result = await find(store)(...parameters);
          // What was read while the folder was taken away says nothing of what is in it.
          if (kind === "read") guard.check();
          return result;
        } catch (error) {
          throw failureOf(store, error, kind);
        }
      };
  }

  /** The lease is over also where its file could not be removed; throws again why not. */
  leave(lease: Lease, error: unknown): never {
    this.#opened?.book.leave(lease);
    throw error;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#cleaning?.then(() => this.#opened && closeStore(this.#opened)) ?? Promise.resolve();
    await this.#closing;
  }
}

/** Whatever failed, a folder that was taken away is the reason. */
function failureOf({ guard, context }: OpenStore, error: unknown, kind: "read" | "write"): unknown {
  let reason = error;
  try {
    guard.check();
  } catch (missing) {
    reason = missing;
  }
  return storeFailure(reason, kind, context.layout.directory);
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
