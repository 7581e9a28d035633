import { join } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import { type Instant, type Lease, storeErrors } from "@resumable-mcp/core/store";
import { isSafeId, shardFolder, taskFolder } from "../disk/layout.js";
import { allDone } from "../disk/shared-sync.js";
import { listIfExists } from "../disk/whole-file.js";
import { type FoldedJournal, readableView } from "../journal/task-view.js";
import type { LeaseBook } from "../task/lease-book.js";
import type { TaskDocuments } from "../task/task-documents.js";
import type { WorkerRegistry } from "../task/worker-registry.js";
import { type IndexParts, makeNamesDurable } from "./task-creator.js";
import { putBack, withdraw } from "./unclaimed-task.js";

interface Parts extends IndexParts {
  readonly book: LeaseBook;
  readonly workers: WorkerRegistry;
  readonly documents: TaskDocuments;
}

/** Deletes tasks. The rename to `trash/` is the moment at which a task is deleted; the rest can be done by any process. */
export class TaskRemover {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async remove(lease: Lease): Promise<void> {
    const { context, book, documents, notifications } = this.#parts;
    const { disk, layout, durable } = context;
    const writer = book.writerOf(lease);
    await writer.idle();
    const { record } = writer.view;
    if (!writer.isCurrent()) throw storeErrors.leaseLost(lease);
    const place = join(layout.trash, `del.${record.id}.${context.unique()}`);
    // Windows renames no folder in which a file is open.
    await writer.drop();
    await documents.written(record.id);
    try {
      if (!writer.isCurrent()) throw storeErrors.leaseLost(lease);
      disk.rename(taskFolder(layout, record.id), place);
    } catch (error) {
      writer.giveUp();
      throw error;
    }
    context.observe("store.delete.trashed", record.id);
    if (durable) await allDone([disk.syncFolder(shardFolder(layout, record.id)), disk.syncFolder(layout.trash)]);
    await this.#complete(writer.view, place);
    notifications.notify(record.id, "task");
  }

  /** Takes a deleted task out of the lists and removes what is left of it. */
  async #complete({ record, header }: Pick<FoldedJournal, "record" | "header">, place: string): Promise<void> {
    const { context, usage, finished, keys } = this.#parts;
    await finished.remove({ ...record, incarnation: header.incarnation });
    context.observe("store.delete.listed", record.id);
    if (record.key !== null) keys.prune(record.owner, record.key);
    context.disk.removeTree(place);
    usage.free();
  }

  /** Finishes what processes that died left in `trash/`: deletions, and tasks that never came to be. */
  async emptyTrash(): Promise<void> {
    const { context } = this.#parts;
    const { disk, layout, durable } = context;
    const names = listIfExists(disk, layout.trash) ?? [];
    // A process may have died before it did: a loss of power must not bring a task back and take what is in its folder.
    if (durable && names.length > 0) disk.syncFolderNow(layout.trash);
    await this.removeUnclaimed();
    for (const name of names) {
      const place = join(layout.trash, name);
      const [, kind, taskId = ""] = trashName.exec(name) ?? [];
      if (kind !== "del") continue;
      // Where its journal is not there any more, the lists know already.
      const view = readableView(context, taskId, { folder: place });
      if (view === undefined) disk.removeTree(place);
      else await this.#complete(view, place);
    }
  }

  /**
   * Removes tasks whose makers died before they had their calls: no caller knows of them. They go when finished tasks would,
   * and stay without the time: until then the same call finds its task. One that has its call is marked.
   */
  async removeUnclaimed(now?: Instant): Promise<void> {
    const { context, workers } = this.#parts;
    const { disk, layout } = context;
    for (const name of listIfExists(disk, layout.trash) ?? []) {
      const [, kind, maker = "", taskId = ""] = trashName.exec(name) ?? [];
      if (kind !== "new" || workers.isInstanceAlive(maker)) continue;
      const place = join(layout.trash, name);
      if (!isSafeId(taskId) || (await this.#finishMaking(place, taskId, now))) disk.removeTree(place);
    }
  }

  /** @returns whether nothing is left to do. */
  async #finishMaking(place: string, taskId: string, now: Instant | undefined): Promise<boolean> {
    const { context, usage, keys, notifications } = this.#parts;
    const { disk, layout } = context;
    putBack(context, place, taskId);
    const view = readableView(context, taskId);
    if (view === undefined || view.header.epoch > 1 || isFinal(view.record.status)) return true;
    if (disk.exists(join(layout.open, taskId))) return true;
    const { id, owner, key, createdAt, ttlMs } = view.record;
    if (key === null || keys.isClaimed(id)) {
      await makeNamesDurable(this.#parts, view.record);
      notifications.notify(id, "runnable");
      return true;
    }
    if (now === undefined || now.wallMs < Date.parse(createdAt) + ttlMs) return false;
    withdraw(context, { id, owner, key });
    usage.free();
    return true;
  }
}

/** What is not named so is not a store's. */
const trashName = /^(new|del)\.([\w-]+)\.[\w-]+(?:\.([\w-]+))?$/;
