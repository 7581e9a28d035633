import { join } from "node:path";
import type { TaskRecord } from "@resumable-mcp/core";
import { journalName } from "../disk/layout.js";
import { allDone, SharedSync } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { writeAll } from "../disk/whole-file.js";
import { chainThrough, type FoldedJournal, type ViewCache } from "../journal/task-view.js";
import type { Compaction } from "./compaction.js";
import type { LeaseFiles } from "./held-folder.js";
import type { HeldTask } from "./held-task.js";
import type { Notifications } from "./notifications.js";
import type { TaskDocuments } from "./task-documents.js";

const zeros = Buffer.alloc(64 * 1024);

/** The open journal file of a writer, and those before it until they are synced and closed. */
export class WriterFiles {
  readonly #context: StoreContext;
  readonly #folder: string;
  readonly #sync = new SharedSync(() => this.#syncAll());
  #file: number;
  /** How far the file reaches with the zeros behind what is written; 0 while there are none. */
  #extendedTo = 0;
  readonly #retired = new Set<number>();
  /** Earlier files whose sync belongs to the next acknowledgement. */
  #unsynced: number[] = [];

  constructor(context: StoreContext, folder: string, file: number) {
    this.#context = context;
    this.#folder = folder;
    this.#file = file;
  }

  /**
   * Writes a line at the end of what is written.
   *
   * A file whose lines are synced is extended by zeros before they are needed: a sync that changes the length of a file
   * also waits for the file system's own journal, which takes as long again.
   */
  append(line: Buffer, offset: number): void {
    const { disk, durable, limits } = this.#context;
    const end = offset + line.byteLength;
    if (durable && end > this.#extendedTo && offset >= limits.extendFromBytes) this.#extend(end, offset);
    writeAll(disk, this.#file, line, offset);
  }

  /** By as much as there is, so that no file becomes more than twice as long. A failure here only makes syncs slower. */
  #extend(from: number, written: number): void {
    const { disk, limits } = this.#context;
    const end = from + Math.min(written, limits.maxExtendBytes);
    this.#extendedTo = from;
    try {
      while (this.#extendedTo < end) {
        const ahead = zeros.subarray(0, end - this.#extendedTo);
        writeAll(disk, this.#file, ahead, this.#extendedTo);
        this.#extendedTo += ahead.byteLength;
      }
    } catch {
      this.#extendedTo = Number.POSITIVE_INFINITY;
    }
  }

  /** Cuts a file that takes no more lines to what was written. Only after writes that all succeeded. */
  trim(written: number): void {
    if (this.#extendedTo === 0) return;
    try {
      this.#context.disk.truncate(this.#file, written);
    } catch {
      // Readers leave the zeros out.
    }
  }

  /** Resolves when all that was written before this call is on the disk, in this file and in those before it. */
  sync(): Promise<void> {
    return this.#sync.request();
  }

  async #syncAll(): Promise<void> {
    const { disk } = this.#context;
    const earlier = this.#unsynced.splice(0);
    if (earlier.length === 0) return disk.syncData(this.#file);
    await allDone([disk.syncData(this.#file), ...earlier.map((file) => this.#finish(file))]);
  }

  async #finish(file: number): Promise<void> {
    const { disk } = this.#context;
    await disk.syncData(file);
    await disk.syncFolder(this.#folder);
    this.#retired.delete(file);
    this.#close(file);
  }

  /** As `sync`, and lets nothing else happen meanwhile. */
  syncNow(): void {
    const { disk } = this.#context;
    disk.syncDataNow(this.#file);
    // What waits for the next sync includes the file's name.
    if (this.#unsynced.length > 0) disk.syncFolderNow(this.#folder);
  }

  /** Continues in another file. The seal counts what this one holds: it is synced before the next acknowledgement. */
  replace(file: number, written: number): void {
    this.trim(written);
    if (this.#context.durable) {
      this.#retired.add(this.#file);
      this.#unsynced.push(this.#file);
    } else this.#close(this.#file);
    this.#file = file;
    this.#extendedTo = 0;
  }

  /** A sync failed, of any of the files that the lease of a view has written. */
  noteLosses(view: FoldedJournal): void {
    for (const { epoch, bytes } of chainThrough(view)) {
      if (epoch >= view.header.lease) this.#context.syncs.noteLoss(join(this.#folder, journalName(epoch)), () => bytes);
    }
  }

  /** Resolves when nothing is being synced. */
  idle(): Promise<void> {
    return this.#sync.idle();
  }

  /** Closes the files when the last sync is over. Never rejects. */
  async close(): Promise<void> {
    await this.#sync.idle();
    for (const file of [this.#file, ...this.#retired]) this.#close(file);
  }

  /** A close that fails has closed the file all the same: its number may belong to another file already. */
  #close(file: number): void {
    try {
      this.#context.disk.close(file);
    } catch {
      // Whether its bytes are on the disk is what the sync tells.
    }
  }
}

/** What is kept about all tasks, and follows the commits of each. */
interface TaskIndex {
  readonly keys: { claimAgain(record: TaskRecord): Promise<() => void> };
  readonly places: { begin(task: TaskRecord, max: number | undefined): Promise<() => void> };
  readonly usage: { add(bytes: number): void };
  readonly finished: {
    close(record: TaskRecord, incarnation: string, isStill: () => boolean): Promise<void>;
    reopen(taskId: string): void;
    reopenDurably(taskId: string): Promise<void>;
  };
}

/** What all writers of a store share. */
export interface WriterParts extends TaskIndex {
  readonly context: StoreContext;
  readonly cache: ViewCache;
  /** The tasks that this store holds. */
  readonly held: { get(taskId: string): HeldTask | undefined; delete(taskId: string): boolean };
  readonly leaseFiles: LeaseFiles;
  readonly documents: TaskDocuments;
  readonly compaction: Compaction;
  readonly notifications: Notifications;
}

/**
 * Claims the call of a finished task that begins again, within the limit of its owner. Another commit may come first
 * meanwhile: `check` throws then.
 *
 * @returns what is to be called when the restart is in the journal, or is not going to be.
 */
export async function beginAgain(
  { context, keys, places, finished }: WriterParts,
  again: { readonly record: TaskRecord; readonly maxUnfinished?: number; readonly check: () => void },
): Promise<() => void> {
  const { record, maxUnfinished, check } = again;
  const endMaking = await places.begin(record, maxUnfinished);
  let undo = (): void => {};
  try {
    undo = await keys.claimAgain(record);
    // First the marker, durably: what begins again has to be found after a loss of power.
    await finished.reopenDurably(record.id);
    check();
    context.observe("store.commit.keyed", record.id);
    return endMaking;
  } catch (error) {
    undo();
    endMaking();
    throw error;
  }
}
