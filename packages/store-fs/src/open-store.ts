import { BoundedCache } from "./disk/bounded-cache.js";
import type { Host } from "./disk/platform.js";
import type { StoreContext } from "./disk/store-context.js";
import { FinishedTasks } from "./index/finished-tasks.js";
import { FolderGuard } from "./index/folder-guard.js";
import { FolderSync } from "./index/folder-sync.js";
import { KnownEnds } from "./index/known-ends.js";
import { SessionFiles } from "./index/session-files.js";
import { StoreUsage } from "./index/store-usage.js";
import { TaskCreator } from "./index/task-creator.js";
import { TaskKeys } from "./index/task-keys.js";
import { TaskLists } from "./index/task-lists.js";
import { TaskRemover } from "./index/task-remover.js";
import type { LiveLease } from "./journal/live-lease.js";
import type { TaskView } from "./journal/task-view.js";
import { Committer } from "./task/commit.js";
import { Hints } from "./task/hints.js";
import { JournalReader } from "./task/journal-reader.js";
import { LeaseBook } from "./task/lease-book.js";
import { Rotation } from "./task/rotation.js";
import { TaskDocuments } from "./task/task-documents.js";
import { TaskReader } from "./task/task-reader.js";
import { WorkerRegistry } from "./task/worker-registry.js";

/** The parts of a store on one folder. */
export interface OpenStore {
  readonly context: StoreContext;
  readonly folder: FolderSync;
  readonly guard: FolderGuard;
  readonly workers: WorkerRegistry;
  readonly reader: TaskReader;
  readonly keys: TaskKeys;
  readonly journal: JournalReader;
  readonly book: LeaseBook;
  readonly committer: Committer;
  readonly creator: TaskCreator;
  readonly remover: TaskRemover;
  readonly lists: TaskLists;
  readonly finished: FinishedTasks;
  readonly documents: TaskDocuments;
  readonly rotation: Rotation;
  readonly sessions: SessionFiles;
  readonly hints: Hints;
}

/** Puts the parts of a store together. */
export function openStore(context: StoreContext, host: Host): OpenStore {
  const { maxCachedTasks, maxCachedBytes } = context.limits;
  const cache = new BoundedCache<TaskView>({ maxEntries: maxCachedTasks, maxBytes: maxCachedBytes });
  const leases = new Map<string, LiveLease>();
  const workers = new WorkerRegistry(context, host);
  const hints = new Hints(context, leases);
  const finished = new FinishedTasks(context);
  const ends = new KnownEnds(context, finished);
  const reader = new TaskReader(context, { cache, leases, workers, ends });
  const keys = new TaskKeys(context, reader);
  const documents = new TaskDocuments(context);
  const usage = new StoreUsage(context);
  const book = new LeaseBook({ context, cache, leases, reader, workers, hints });
  const rotation = new Rotation(context, cache, book);
  return {
    context,
    folder: new FolderSync(context),
    guard: new FolderGuard(context, keys),
    workers,
    reader,
    keys,
    book,
    finished,
    documents,
    rotation,
    hints,
    journal: new JournalReader(context, reader),
    committer: new Committer({ context, usage, book, keys, finished, documents, rotation, hints }),
    creator: new TaskCreator({ context, usage, reader, keys, finished, hints }),
    remover: new TaskRemover({ context, usage, book, keys, finished, hints }),
    lists: new TaskLists({ context, reader, finished, workers }),
    sessions: new SessionFiles(context),
  };
}

/** Gives back what a store holds, once everything under way is written. */
export async function closeStore(store: OpenStore): Promise<void> {
  store.hints.close();
  await store.book.close();
  await store.rotation.idle();
  await store.finished.idle();
  await store.documents.idle();
  store.workers.close();
}
