import { join } from "node:path";
import { isFinal, type TaskRecord } from "@resumable-mcp/core";
import { summarise, type TaskSummary } from "@resumable-mcp/core/store";
import { taskFolder } from "../disk/layout.js";
import { allDone, BackgroundWork, SharedSync } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { appendTo, listIfExists, openIfExists, readRange, touchFile, unlinkIfExists } from "../disk/whole-file.js";
import type { Reading } from "../journal/task-view.js";
import type { WorkerRegistry } from "../task/worker-registry.js";
import { compactFinished } from "./finished-compaction.js";
import { FinishedFiles } from "./finished-files.js";
import { encodeFinished, type FinishedLine, parseFinished } from "./finished-line.js";
import { FinishedTable, type FinishedTask, type LinePlace } from "./finished-table.js";
import { ListedIncarnations } from "./listed-incarnations.js";

/** What the lists have to know of a task that was deleted. */
type Deleted = Pick<TaskRecord, "id" | "lastSeq" | "createdAt" | "finishedAt"> & { readonly incarnation: string };

/**
 * Which tasks are finished: a line for each in `done/`, and a marker in `open/` for every other.
 *
 * A task is in one of the two at any time: the line is written before the marker goes, and who has a marker is
 * looked up in its journal, whatever lines say.
 *
 * The lines are in memory too, from the first list on.
 */
export class FinishedTasks {
  readonly #context: StoreContext;
  readonly #workers: Pick<WorkerRegistry, "isInstanceAlive">;
  /** What fails here is found and done again by the next process that lists open tasks. */
  readonly #background = new BackgroundWork();
  readonly #sync: SharedSync;
  readonly #written = new Set<string>();
  /** A file was made whose name may not be durable. */
  #isNameNew = false;
  /** Raised when a write failed: what follows must not be glued to half a line. */
  #part = 1;
  #compacting: Promise<void> | undefined;
  readonly #table: FinishedFiles<FinishedTable>;
  /** Until the table is needed: to resume tasks, it is not. */
  #listed: FinishedFiles<ListedIncarnations> | undefined;

  constructor(context: StoreContext, workers: Pick<WorkerRegistry, "isInstanceAlive">) {
    this.#context = context;
    this.#workers = workers;
    this.#table = new FinishedFiles(context, () => new FinishedTable());
    this.#listed = new FinishedFiles(context, () => new ListedIncarnations());
    this.#sync = new SharedSync(async () => {
      const paths = [...this.#written];
      const isNameNew = this.#isNameNew;
      this.#written.clear();
      this.#isNameNew = false;
      try {
        const name = isNameNew ? context.disk.syncFolder(context.layout.done) : undefined;
        await allDone([...paths.map((path) => context.syncs.sync(path)), name]);
      } catch (error) {
        this.#isNameNew ||= isNameNew;
        throw error;
      }
    });
  }

  /** Notes that a task finished. The lease may be released when this has resolved, however it ended. */
  close(record: TaskRecord, incarnation: string, isStill: () => boolean): Promise<void> {
    return this.#background.add(this.#move(record, incarnation, isStill));
  }

  /** Does what a process that died after the final event left undone. */
  repair(record: TaskRecord, incarnation: string, isStill: () => boolean): void {
    if (!this.#context.readOnly) void this.close(record, incarnation, isStill);
  }

  async #move(record: TaskRecord, incarnation: string, isStill: () => boolean): Promise<void> {
    const context = this.#context;
    const summary = summarise(record, record.status);
    await this.#append({ seq: record.lastSeq, id: record.id, incarnation, summary }, record);
    context.observe("store.done.appended", record.id);
    if (isStill()) unlinkIfExists(context.disk, join(context.layout.open, record.id));
    context.observe("store.done.closed", record.id);
  }

  /** Notes that a task is not finished (any more). */
  reopen(taskId: string): void {
    touchFile(this.#context.disk, join(this.#context.layout.open, taskId));
  }

  /** As `reopen`; resolves when the note survives what the store's durability names. */
  async reopenDurably(taskId: string): Promise<void> {
    const { disk, layout, durable } = this.#context;
    this.reopen(taskId);
    if (durable) await disk.syncFolder(layout.open);
  }

  /** Notes that a task was deleted. */
  remove(gone: Deleted): Promise<void> {
    const removing = this.#leave(gone);
    void this.#background.add(removing);
    return removing;
  }

  async #leave(gone: Deleted): Promise<void> {
    const { disk, layout } = this.#context;
    const { id, incarnation, lastSeq } = gone;
    await this.#append({ seq: lastSeq, id, incarnation }, gone);
    // The id may have been given to another task since.
    if (disk.stat(taskFolder(layout, id)) === undefined) unlinkIfExists(disk, join(layout.open, id));
  }

  async #append(line: FinishedLine, record: Pick<TaskRecord, "createdAt" | "finishedAt">): Promise<void> {
    const { disk, layout, durable, instance } = this.#context;
    const path = join(layout.done, `${dayOf(record)}.${instance}-${this.#part}.jsonl`);
    try {
      this.#isNameNew ||= !disk.exists(path);
      appendTo(disk, path, encodeFinished(line));
    } catch (error) {
      this.#part += 1;
      throw error;
    }
    if (!durable) return;
    this.#written.add(path);
    await this.#sync.request();
  }

  /** Removes lines that do not count any more from the files of this store and of those that have ended. */
  compact(): Promise<void> {
    this.#compacting ??= this.#background.add(this.#rewrite()).finally(() => {
      this.#compacting = undefined;
    });
    return this.#compacting;
  }

  async #rewrite(): Promise<void> {
    // What is written from now on goes to another file than those that are rewritten.
    this.#part += 1;
    await this.#sync.idle();
    const table = await this.read();
    const own = this.#context.instance;
    const isMine = (instance: string) => instance === own || !this.#workers.isInstanceAlive(instance);
    await compactFinished(this.#context, table, isMine);
  }

  /** Ids with a marker in `open/`. */
  openIds(): readonly string[] {
    return listIfExists(this.#context.disk, this.#context.layout.open) ?? [];
  }

  /** Resolves when everything noted so far is written. */
  idle(): Promise<void> {
    return this.#background.idle();
  }

  /** What was written before this call. */
  read(): Promise<FinishedTable> {
    this.expectRead();
    return this.#table.read();
  }

  /** The table is about to be read: ends are looked up in it from now on, and nothing is read for them alone. */
  expectRead(): void {
    this.#listed = undefined;
  }

  /**
   * The seq of the event with which the lists say that a task finished; 0 where they have no need to be asked, or know nothing.
   *
   * A line is written after the final event is as safe as it is going to be. A journal that ends before has lost its end: the
   * task must not run again, though all that is left of its journal is sound.
   */
  async endOf({ view, folder }: Reading): Promise<number> {
    const { record, header } = view;
    const neverRan = record.attempt === 0 && folder.newest === 1;
    if (isFinal(record.status) || neverRan) return 0;
    const { disk, layout } = this.#context;
    // A process that died between line and marker leaves both, and markers that are made again do.
    const isMarked = disk.exists(join(layout.open, record.id));
    const listed = this.#listed;
    if (listed === undefined) return (await this.#table.readFor(isMarked)).endOf(header.incarnation);
    const isListed = (await listed.readFor(isMarked)).mayList(header.incarnation);
    return isListed ? (await this.read()).endOf(header.incarnation) : 0;
  }

  /** What the line of a task says; `undefined` where it is not there any more. */
  summaryOf({ incarnation }: FinishedTask, { name, start, length }: LinePlace): TaskSummary | undefined {
    const { disk, layout } = this.#context;
    const file = openIfExists(disk, join(layout.done, name));
    if (file === undefined) return undefined;
    try {
      const line = parseFinished({ bytes: readRange(disk, file, start, length), start, next: start + length + 1 });
      return line?.incarnation === incarnation ? line.summary : undefined;
    } finally {
      disk.close(file);
    }
  }
}

/** The later of the days of creation and end. */
function dayOf({ createdAt, finishedAt }: Pick<TaskRecord, "createdAt" | "finishedAt">): string {
  const later = finishedAt !== undefined && finishedAt > createdAt ? finishedAt : createdAt;
  return later.slice(0, 10);
}
