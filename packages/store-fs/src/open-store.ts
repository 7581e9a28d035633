import { BoundedCache } from "@resumable-mcp/core/internal";
import type { Host } from "./disk/platform.js";
import type { StoreContext } from "./disk/store-context.js";
import { DocumentFiles } from "./index/document-files.js";
import { FinishedTasks } from "./index/finished-tasks.js";
import { FolderGuard } from "./index/folder-guard.js";
import { OpenTasks } from "./index/open-tasks.js";
import { OwnerPlaces } from "./index/owner-places.js";
import { FolderSync } from "./index/store-folder.js";
import { StoreUsage } from "./index/store-usage.js";
import { makeNamesDurable, TaskCreator } from "./index/task-creator.js";
import { TaskKeys } from "./index/task-keys.js";
import { TaskLists } from "./index/task-lists.js";
import { TaskRemover } from "./index/task-remover.js";
import type { FoldedJournal } from "./journal/task-view.js";
import { ArtifactFiles } from "./task/artifact-files.js";
import { ChangeNotes } from "./task/change-notes.js";
import { Compaction } from "./task/compaction.js";
import { LeaseFiles } from "./task/held-folder.js";
import { JournalReader } from "./task/journal-reader.js";
import { LeaseBook } from "./task/lease-book.js";
import { Notifications } from "./task/notifications.js";
import { TaskDocuments } from "./task/task-documents.js";
import { TaskReader } from "./task/task-reader.js";
import type { TaskWriter } from "./task/task-writer.js";
import { WorkerRegistry } from "./task/worker-registry.js";

/** Puts the parts of a store together. */
export function openStore(context: StoreContext, host: Host) {
  const { maxCachedTasks, maxCachedBytes } = context.limits;
  const cache = new BoundedCache<FoldedJournal>({ maxEntries: maxCachedTasks, maxBytes: maxCachedBytes });
  const held = new Map<string, TaskWriter>();
  const workers = new WorkerRegistry(context, host);
  const notes = new ChangeNotes(context);
  const notifications = new Notifications(context, notes, held);
  const finished = new FinishedTasks(context, workers);
  const isClaimed = (taskId: string) => keys.isClaimed(taskId);
  const reader = new TaskReader(context, { cache, held, workers, ends: finished, isClaimed });
  const keys: TaskKeys = new TaskKeys(context, reader);
  const usage = new StoreUsage(context);
  const places = new OwnerPlaces(context, workers, (taskId) => keys.isUnfinished(taskId));
  const documents = new TaskDocuments(context);
  const compaction = new Compaction(context);
  const leaseFiles = new LeaseFiles(context);
  const openTasks = new OpenTasks({ context, reader, finished, notes });
  const index = { context, usage, keys, places, finished, notifications };
  const writing = { ...index, cache, held, leaseFiles, documents, compaction };
  const book = new LeaseBook({
    ...writing,
    openTasks,
    reader,
    workers,
    makeNamesDurable: (record) => makeNamesDurable(index, record),
  });
  return {
    context,
    folder: new FolderSync(context),
    guard: new FolderGuard(context, { keys, places, sayInUse: () => workers.open() }),
    workers,
    reader,
    keys,
    places,
    usage,
    book,
    leaseFiles,
    finished,
    documents,
    compaction,
    notifications,
    artifacts: new ArtifactFiles({ context, book, usage }),
    journal: new JournalReader(context, reader),
    creator: new TaskCreator({ ...index, reader }),
    remover: new TaskRemover({ ...index, book, workers, documents }),
    lists: new TaskLists({ context, reader, finished, openTasks }),
    documentFiles: new DocumentFiles(context, places),
  };
}

/** The parts of a store on one folder. */
export type OpenStore = ReturnType<typeof openStore>;

/** Gives back what a store holds, once everything under way is written. */
export async function closeStore(store: OpenStore): Promise<void> {
  store.notifications.close();
  store.creator.close();
  await store.book.close();
  await store.compaction.idle();
  await store.finished.idle();
  await store.documents.idle();
  store.workers.close();
}
