import { join } from "node:path";
import { type Lease, leaseLost } from "@resumable-mcp/core/store";
import { parseDocument } from "@resumable-mcp/documents";
import { z } from "zod";
import { shardFolder, taskFolder } from "../disk/layout.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, listIfExists, readFrom, unlinkIfExists } from "../disk/whole-file.js";
import type { LeaseBook } from "../task/lease-book.js";
import type { WorkerRegistry } from "../task/worker-registry.js";
import type { IndexParts } from "./task-creator.js";

interface Parts extends IndexParts {
  readonly book: LeaseBook;
  readonly workers: WorkerRegistry;
}

/** Deletes tasks. The rename to `trash/` is the moment at which a task is deleted; the rest can be done by any process. */
export class TaskRemover {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async remove(lease: Lease): Promise<void> {
    const { context, book, notifications } = this.#parts;
    const { disk, layout, durable } = context;
    const writer = book.writerOf(lease);
    await writer.idle();
    const { record, header } = writer.view;
    const folder = taskFolder(layout, record.id);
    if (!writer.isCurrent()) throw leaseLost(lease);
    const place = join(layout.trash, `del.${record.id}.${context.unique()}`);
    const gone = noteSchema.parse({ ...record, incarnation: header.incarnation });
    const note = await writeNote(context, gone);
    if (!writer.isCurrent()) {
      unlinkIfExists(disk, note);
      throw leaseLost(lease);
    }
    disk.rename(folder, place);
    context.observe("store.delete.trashed", record.id);
    await writer.drop();
    if (durable) await allDone([disk.syncFolder(shardFolder(layout, record.id)), disk.syncFolder(layout.trash)]);
    await this.#complete(gone, place);
    notifications.notify(record.id, "task");
  }

  /** Takes a deleted task out of the lists and removes what is left of it. */
  async #complete(record: Gone, place: string): Promise<void> {
    const { context, usage, finished, keys } = this.#parts;
    await finished.remove(record);
    context.observe("store.delete.listed", record.id);
    if (record.key !== null) keys.prune(record.owner, record.key);
    context.disk.removeTree(place);
    usage.free();
  }

  /** Finishes what processes that died left in `trash/`: deletions, and tasks that never came to be. */
  async emptyTrash(): Promise<void> {
    const { context, workers } = this.#parts;
    const { disk, layout, durable } = context;
    const names = listIfExists(disk, layout.trash) ?? [];
    // A process may have died before it did: a loss of power must not bring a task back and take what is in its folder.
    if (durable && names.length > 0) disk.syncFolderNow(layout.trash);
    for (const name of names) {
      const place = join(layout.trash, name);
      const [, kind, subject = ""] = trashName.exec(name) ?? [];
      if (kind === "new" && !workers.isInstanceAlive(subject)) disk.removeTree(place);
      if (kind !== "del") continue;
      const gone = readNote(context, place);
      if (gone === undefined) disk.removeTree(place);
      else await this.#complete(gone, place);
    }
  }
}

/** What is not named so is not a store's. */
const trashName = /^(new|del)\.([\w-]+)\.[\w-]+$/;

const noteSchema = z.object({
  id: z.string(),
  incarnation: z.string(),
  owner: z.string(),
  key: z.nullable(z.string()),
  lastSeq: z.number(),
  createdAt: z.string(),
  finishedAt: z.optional(z.string()),
});

/** What deleting has to know of a task. */
type Gone = z.infer<typeof noteSchema>;

/**
 * A process that finishes a deletion after a crash does not have to understand the journal. Durable before the task goes: a
 * task that was deleted without a note would always be counted.
 */
async function writeNote({ disk, layout, durable, syncs, unique }: StoreContext, gone: Gone): Promise<string> {
  const folder = taskFolder(layout, gone.id);
  const path = join(folder, `deleted.${unique()}.json`);
  createFile(disk, path, Buffer.from(`${JSON.stringify(gone)}\n`));
  if (durable) await allDone([syncs.sync(path), disk.syncFolder(folder)]);
  return path;
}

function readNote({ disk }: StoreContext, place: string): Gone | undefined {
  const note = (listIfExists(disk, place) ?? []).find((name) => name.startsWith("deleted."));
  const text = note === undefined ? undefined : readFrom(disk, join(place, note))?.toString("utf8");
  const parsed = parseDocument(noteSchema, text ?? "");
  return "document" in parsed ? parsed.document : undefined;
}
