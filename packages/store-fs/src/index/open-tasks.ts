import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isFinal, isResumableError } from "@resumable-mcp/core";
import {
  dueMs,
  type Instant,
  needsNoCaller,
  type RunnableTask,
  readStatus,
  summarise,
  type TaskSummary,
} from "@resumable-mcp/core/store";
import { decodeLine, encodeLine, rawLines } from "../disk/checked-line.js";
import { isSystemError } from "../disk/disk.js";
import { isSafeId, taskFolder } from "../disk/layout.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, readFrom, replaceWhole, unlinkIfExists } from "../disk/whole-file.js";
import { readFingerprint } from "../journal/task-folder.js";
import type { ChangeNotes, Changes } from "../task/change-notes.js";
import type { TaskReader } from "../task/task-reader.js";
import type { FinishedTasks } from "./finished-tasks.js";

/** Journals that are read at the same time. */
const tasksAtOnce = 16;
/** Tasks that a look for work checks though nothing was noted of them, and how often it does. */
const checkedAtOnce = 64;
const checkMs = 1_000;
/** After so many looks the markers are listed in any case: two changes of a folder may have one time. */
const looksUntilListed = 16;
/** What is known of tasks is written down when it changed for so many, and for this part of all. */
const unsavedTasks = 256;
const unsavedPart = 1 / 16;

/** What is known of a task that has a marker in `open/`. */
export interface OpenTask {
  readonly incarnation: string;
  readonly createdMs: number;
  readonly summary: TaskSummary;
  /** When a worker that looks for work may run it, and what it has to know; absent where nothing is to be done yet. */
  readonly runnable?: Omit<RunnableTask, "id" | "owner" | "tool"> | undefined;
}

interface KnownTask extends OpenTask {
  /** Of its folder, before it was read. */
  readonly fingerprint: string;
}

interface Parts {
  readonly context: StoreContext;
  readonly reader: TaskReader;
  readonly finished: FinishedTasks;
  readonly notes: ChangeNotes;
}

/**
 * What is to be known of each task that is not finished, in memory: a list and a look for work read the journals of those
 * that changed, and not of all.
 *
 * A task is read again when a change was noted, while it runs or seems to, and when its folder looks different from before:
 * all folders are looked at when a store is opened or the notes were lost, a few with each look for work. So what is in
 * memory, and in `open.jsonl` for the next process, is checked and never believed.
 */
export class OpenTasks {
  readonly #parts: Parts;
  #tasks = new Map<string, KnownTask>();
  /** Ids of tasks that have to be read before they are given out. */
  readonly #stale = new Set<string>();
  /** Ids of tasks that a process runs, or whose end is not in the lists yet: what becomes of them is not noted. */
  readonly #moving = new Set<string>();
  #reading: Promise<unknown> = Promise.resolve();
  #isLoaded = false;
  /** Of the folder of markers when it was listed. */
  #state: string | undefined;
  #looks = 0;
  #checkedMs = Number.NEGATIVE_INFINITY;
  /** Ids that are left to be checked in this round. */
  #round: string[] = [];
  #unsaved = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** All tasks by their ids, those of one owner as they are now. What this gives does not change any more. */
  async ofOwner(owner: string | undefined): Promise<ReadonlyMap<string, OpenTask>> {
    return this.#queue(() => this.#refresh(owner));
  }

  /** As `ofOwner` for all, and checks some tasks of which nothing was noted. */
  async look(now: Instant): Promise<ReadonlyMap<string, OpenTask>> {
    return this.#queue(async () => {
      this.#looks += 1;
      await this.#check(now);
      return this.#refresh(undefined);
    });
  }

  /** A task is not what was expected of it: it is read again. */
  doubt(taskId: string): void {
    this.#stale.add(taskId);
  }

  #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#reading.then(work);
    this.#reading = result.catch(() => undefined);
    return result;
  }

  async #refresh(owner: string | undefined): Promise<ReadonlyMap<string, OpenTask>> {
    const changes = this.#parts.notes.read();
    if (!this.#isLoaded) this.#load();
    this.#findMarked(changes);
    if (changes === "any") await this.#checkAll([...this.#tasks.keys()]);
    const isOwners = (id: string) => owner === undefined || (this.#tasks.get(id)?.summary.owner ?? owner) === owner;
    const wanted = [...this.#stale].filter(isOwners);
    if (wanted.length > 0) await this.#readAll(wanted);
    return this.#tasks;
  }

  /** Finds tasks whose marker came or went, and those that changed. The listing of all markers costs most, and is seldom needed. */
  #findMarked(changes: Changes): void {
    const { disk, layout } = this.#parts.context;
    const state = disk.identify(layout.open)?.state;
    const noted = changes === "any" ? [] : [...changes].filter(isSafeId);
    const isListed =
      changes === "any" || this.#looks >= looksUntilListed || (noted.length === 0 && state !== this.#state);
    const marked = isListed ? new Set(listIfExists(disk, layout.open) ?? []) : undefined;
    const isMarked = (id: string) => marked?.has(id) ?? disk.exists(join(layout.open, id));
    if (marked !== undefined) {
      [this.#state, this.#looks] = [state, 0];
      for (const id of marked) if (!this.#tasks.has(id) && isSafeId(id)) this.#stale.add(id);
    }
    for (const id of [...noted, ...this.#moving]) this.#stale.add(id);
    const asked = marked === undefined ? this.#stale : [...this.#tasks.keys(), ...this.#stale];
    const gone = [...asked].filter((id) => !isMarked(id));
    if (gone.some((id) => this.#tasks.has(id))) this.#tasks = new Map(this.#tasks);
    for (const id of gone) this.#forget(id);
  }

  #forget(id: string): void {
    this.#tasks.delete(id);
    this.#stale.delete(id);
    this.#moving.delete(id);
  }

  /** Looks at the folders of the next tasks. */
  async #check({ monotonicMs }: Instant): Promise<void> {
    if (monotonicMs - this.#checkedMs < checkMs && this.#tasks.size > checkedAtOnce) return;
    this.#checkedMs = monotonicMs;
    if (this.#round.length === 0) this.#round = [...this.#tasks.keys()];
    await this.#checkAll(this.#round.splice(-checkedAtOnce));
  }

  async #checkAll(ids: readonly string[]): Promise<void> {
    const { disk, layout } = this.#parts.context;
    let looked = 0;
    for (const id of ids) {
      const known = this.#tasks.get(id);
      if (known === undefined || this.#stale.has(id)) continue;
      if (readFingerprint(disk, taskFolder(layout, id)) !== known.fingerprint) this.#stale.add(id);
      if (++looked % checkedAtOnce === 0) await breathe();
    }
  }

  async #readAll(ids: readonly string[]): Promise<void> {
    const tasks = new Map(this.#tasks);
    const read = this.#parts.reader.scan();
    const readOne = async (id: string) => {
      // What changes from here on makes it stale again.
      this.#stale.delete(id);
      const task = await this.#read(id, read);
      if (task === undefined) tasks.delete(id);
      else tasks.set(id, task);
      if (task?.fingerprint !== this.#tasks.get(id)?.fingerprint) this.#unsaved += 1;
    };
    try {
      for (let from = 0; from < ids.length; from += tasksAtOnce) {
        await allDone(ids.slice(from, from + tasksAtOnce).map(readOne));
      }
    } catch (error) {
      for (const id of ids) this.#stale.add(id);
      throw error;
    }
    this.#tasks = tasks;
    if (this.#unsaved > unsavedTasks + unsavedPart * tasks.size) this.#save();
  }

  async #read(id: string, read: TaskReader["read"]): Promise<KnownTask | undefined> {
    const { context, reader, finished } = this.#parts;
    this.#moving.delete(id);
    const fingerprint = readFingerprint(context.disk, taskFolder(context.layout, id));
    try {
      const reading = await read(id);
      if (reading === undefined) {
        if (!context.readOnly) unlinkIfExists(context.disk, join(context.layout.open, id));
        return undefined;
      }
      const snapshot = reader.snapshotOf(reading);
      const { record, leased } = snapshot;
      if (isFinal(record.status) && !leased && !reader.isOwn(id)) {
        finished.repair(record, reading.view.header.incarnation, () => reader.isStill(reading));
      }
      if (leased || record.live || isFinal(record.status)) this.#moving.add(id);
      const due = dueMs(snapshot);
      const { toolVersion, crashes } = record;
      const runnable =
        due === undefined ? undefined : { toolVersion, dueMs: due, crashes, detached: needsNoCaller(snapshot) };
      const summary = summarise(record, readStatus(snapshot));
      const { incarnation } = reading.view.header;
      return { incarnation, createdMs: Date.parse(record.createdAt), summary, runnable, fingerprint };
    } catch (error) {
      // It was set aside and its marker with it; the others are listed.
      if (isResumableError(error, "TASK_CORRUPT")) return undefined;
      throw error;
    }
  }

  /** What a process knew before this one: each task is looked at once. */
  #load(): void {
    const { disk, layout } = this.#parts.context;
    this.#isLoaded = true;
    const bytes = readFrom(disk, layout.openTasks) ?? Buffer.alloc(0);
    try {
      for (const line of rawLines(bytes, 0, layout.openTasks)) {
        // Its checksum says that it is what was written; a version that writes anything else gives the file another name.
        const known = decodeLine(line, layout.openTasks) as KnownTask;
        this.#tasks.set(known.summary.id, known);
      }
    } catch {
      // The journals tell.
      this.#tasks.clear();
    }
  }

  #save(): void {
    const { disk, layout, unique, readOnly } = this.#parts.context;
    this.#unsaved = 0;
    if (readOnly) return;
    const still = [...this.#tasks].filter(([id]) => !this.#moving.has(id) && !this.#stale.has(id));
    const lines = still.map(([, known]) => encodeLine(JSON.stringify(known)));
    try {
      replaceWhole(disk, layout.openTasks, Buffer.concat(lines), unique(), false);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}
