import { join } from "node:path";
import type { TaskRecord } from "@resumable-mcp/core";
import { summarise } from "@resumable-mcp/core/store";
import { taskFolder } from "../disk/layout.js";
import { allDone, BackgroundWork, SharedSync } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { appendTo, listIfExists, touchFile, unlinkIfExists } from "../disk/whole-file.js";
import type { WorkerRegistry } from "../task/worker-registry.js";
import { compactFinished } from "./finished-compaction.js";
import { encodeFinished, type FinishedLine } from "./finished-line.js";
import type { FinishedTasks } from "./finished-tasks.js";

/** What the lists have to know of a task that was deleted. */
type Deleted = Pick<TaskRecord, "id" | "lastSeq" | "createdAt" | "finishedAt"> & { readonly incarnation: string };

/**
 * Which tasks are finished: a line for each in `done/`, and a marker in `open/` for every other.
 *
 * A task is in one of the two at any time: the line is written before the marker goes, and who has a marker is
 * looked up in its journal, whatever lines say.
 */
export class FinishedIndex {
  readonly #context: StoreContext;
  readonly #workers: Pick<WorkerRegistry, "isInstanceAlive">;
  readonly #tasks: FinishedTasks;
  /** What fails here is found and done again by the next process that lists open tasks. */
  readonly #background = new BackgroundWork();
  readonly #sync: SharedSync;
  readonly #written = new Set<string>();
  /** Raised when a write failed: what follows must not be glued to half a line. */
  #part = 1;
  #compacting: Promise<void> | undefined;

  constructor(context: StoreContext, workers: Pick<WorkerRegistry, "isInstanceAlive">, tasks: FinishedTasks) {
    this.#context = context;
    this.#workers = workers;
    this.#tasks = tasks;
    this.#sync = new SharedSync(async () => {
      const paths = [...this.#written];
      this.#written.clear();
      await allDone(paths.map((path) => context.syncs.sync(path)));
      await context.disk.syncFolder(context.layout.done);
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
    const table = await this.#tasks.read();
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
}

/** The later of the days of creation and end. */
function dayOf({ createdAt, finishedAt }: Pick<TaskRecord, "createdAt" | "finishedAt">): string {
  const later = finishedAt !== undefined && finishedAt > createdAt ? finishedAt : createdAt;
  return later.slice(0, 10);
}
