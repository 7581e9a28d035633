import { join } from "node:path";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import {
  type Instant,
  isContinuable,
  isReusable,
  type NewTask,
  storeErrors,
  type TaskEvent,
} from "@resumable-mcp/core/store";
import { encodeLine } from "../disk/checked-line.js";
import { isSystemError } from "../disk/disk.js";
import { isSafeId, journalName, shardFolder, taskFolder } from "../disk/layout.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { badId } from "../disk/store-errors.js";
import { appendTo, isTaken, renameIfExists } from "../disk/whole-file.js";
import { firstHeader } from "../journal/journal-line.js";
import { taskExists } from "../journal/task-folder.js";
import type { TaskReading } from "../task/held-task.js";
import type { Notifications } from "../task/notifications.js";
import type { TaskReader } from "../task/task-reader.js";
import type { FinishedTasks } from "./finished-tasks.js";
import type { OwnerPlaces } from "./owner-places.js";
import type { StoreUsage } from "./store-usage.js";
import type { TaskKeys } from "./task-keys.js";
import { draftIn, placeFor, withdraw } from "./unclaimed-task.js";

type CreateRequest = Parameters<Store["createTask"]>[0];
type Created = Awaited<ReturnType<Store["createTask"]>>;

/** What those that make and remove tasks share. */
export interface IndexParts {
  readonly context: StoreContext;
  readonly usage: StoreUsage;
  readonly keys: TaskKeys;
  readonly places: OwnerPlaces;
  readonly finished: FinishedTasks;
  readonly notifications: Notifications;
}

/** Makes tasks, at most one unfinished one for an owner and key. */
export class TaskCreator {
  readonly #parts: IndexParts & { readonly reader: TaskReader };
  readonly #places: DraftPlaces;

  constructor(parts: IndexParts & { readonly reader: TaskReader }) {
    this.#parts = parts;
    this.#places = new DraftPlaces(parts.context);
  }

  close(): void {
    this.#places.close();
  }

  /**
   * Prepares the task's folder aside, moves it into place, and then claims the call: a claim always leads to a whole
   * task. The marker comes last, so that nothing runs that has not been claimed.
   */
  async create(request: CreateRequest): Promise<Created> {
    if (!isSafeId(request.task.id)) throw badId("task.id");
    for (;;) {
      const made = await this.#create(request);
      // It may have been taken out of its place before the call was claimed for it.
      if (made !== undefined && taskExists(this.#parts.context, made.snapshot.record.id)) return made;
    }
  }

  async #create(request: CreateRequest): Promise<Created | undefined> {
    const { reader } = this.#parts;
    const { task } = request;
    const draft = new FolderDraft(this.#parts.context, this.#places, request);
    let endAdmission: ((bytes?: number) => void) | undefined;
    let endMaking: (() => void) | undefined;
    let isFull = false;
    try {
      for (;;) {
        const same = await reader.read(task.id);
        if (same !== undefined && isFinal(same.record.status)) return this.#existing(same);
        const call = callOf(same?.record ?? task);
        const bucket = call && this.#parts.keys.look(call.owner, call.key);
        if (call && bucket?.isDoubtful && (await this.#parts.keys.restore(bucket, call.owner, call.key))) continue;
        const isClaimed = same !== undefined && (bucket === undefined || bucket.claim?.taskId === task.id);
        if (isClaimed && draft.isPublished) {
          // Another process may have claimed the call for it.
          draft.keep();
          return await this.#finish(same);
        }
        const found = isClaimed ? same : bucket?.claim && (await this.#standing(bucket.claim, request));
        if (found !== undefined && this.#isCounted(found)) return await this.#join(found);
        if (isFull) throw storeErrors.tooManyUnfinished(request.maxUnfinished ?? 0);
        // Before anything is written: the disk may be short of room.
        if (found === undefined && same === undefined) endAdmission ??= await this.#parts.usage.admit(request.now);
        const { id, owner } = (found ?? same)?.record ?? task;
        endMaking ??= await this.#parts.places.takeForTask({ id, owner }, request.maxUnfinished);
        isFull = endMaking === undefined;
        // The owner's last task may be the one of this call.
        if (isFull) continue;
        if (found !== undefined) return await this.#join(found);
        if (same === undefined) {
          // It was taken out of its place.
          if (draft.isPublished) return undefined;
          // Preparing takes time in which others may have claimed the call.
          if (await draft.prepare()) continue;
          if (!draft.publish()) continue;
          reader.noteSynced(task.id, draft.bytes);
        }
        if (bucket === undefined || call === undefined) continue;
        const generation = same?.record.generation ?? 1;
        if (this.#parts.keys.claim(bucket, { ...call, id: task.id, generation }) === undefined) continue;
        this.#parts.context.observe("store.create.linked", task.id);
        draft.keep();
      }
    } finally {
      if (draft.isKept) endAdmission?.(draft.bytes);
      else endAdmission?.();
      draft.discard();
      endMaking?.();
    }
  }

  /** The task that has the call already, if it is unfinished or its result can be given again. */
  async #standing(
    claim: { taskId: string; hash: string; generation: number },
    request: CreateRequest,
  ): Promise<TaskReading | undefined> {
    const { reader, keys } = this.#parts;
    const reading = await keys.holderOf(claim);
    if (reading === undefined || !isFinal(reading.record.status)) return reading;
    const reusable = isReusable(reader.snapshotOf(reading), request, request.now.wallMs);
    const continues = request.continueFailed === true && isContinuable(reading.record);
    return reusable || continues ? reading : undefined;
  }

  /** The marker comes last: an unfinished task without one has no place yet, or lost it when its maker died. */
  #isCounted({ record }: TaskReading): boolean {
    const { disk, layout } = this.#parts.context;
    return isFinal(record.status) || disk.exists(join(layout.open, record.id));
  }

  #existing(reading: TaskReading): Created {
    return { snapshot: this.#parts.reader.snapshotOf(reading), created: false };
  }

  /** The caller is answered by this task: what its maker has not made durable yet becomes so now. */
  async #join(reading: TaskReading): Promise<Created> {
    if (!isFinal(reading.record.status)) await this.#makeDurable(reading);
    return this.#existing(reading);
  }

  async #finish(reading: TaskReading): Promise<Created> {
    const { context, notifications, reader } = this.#parts;
    const taskId = reading.record.id;
    context.observe("store.create.claimed", taskId);
    await this.#makeDurable(reading);
    context.observe("store.create.synced", taskId);
    notifications.notify(taskId, "runnable");
    return { snapshot: reader.snapshotOf(reading), created: true };
  }

  #makeDurable({ record }: TaskReading): Promise<void> {
    return makeNamesDurable(this.#parts, record);
  }
}

/**
 * Makes the call of a task and the names above its folder durable, and then marks it: by a marker that came before them the
 * task would run, and a loss of power would take what it committed, or let the same call begin another one.
 */
export async function makeNamesDurable(
  { context, finished, keys }: Pick<IndexParts, "context" | "finished" | "keys">,
  { id, owner, key }: TaskRecord,
): Promise<void> {
  const { disk, layout, durable, syncs } = context;
  const shard = shardFolder(layout, id);
  await allDone([
    key === null ? undefined : keys.sync(owner, key),
    durable ? disk.syncFolder(shard) : undefined,
    durable ? syncs.syncName(shard) : undefined,
  ]);
  await finished.reopenDurably(id);
}

function callOf({ owner, key }: Pick<NewTask, "owner" | "key">): { owner: string; key: string } | undefined {
  return key === null ? undefined : { owner, key };
}

/** So many empty places are kept: more tasks are rarely made at once. */
const maxSparePlaces = 64;

/**
 * The folders in which tasks are made. A place that is empty again becomes the next one's: to remove a folder can take a
 * file system as long as a sync (2 ms on ext4), and a rename takes 50 µs.
 */
class DraftPlaces {
  readonly #context: StoreContext;
  readonly #spare: string[] = [];

  constructor(context: StoreContext) {
    this.#context = context;
  }

  open(place: string): void {
    const { disk } = this.#context;
    const spare = this.#spare.pop();
    if (spare !== undefined) renameIfExists(disk, spare, place);
    disk.makeFolder(draftIn(place));
  }

  /** Takes back a place that is empty. */
  release(place: string): void {
    const { disk, layout, instance, unique } = this.#context;
    // It names no task any more.
    const spare = join(layout.trash, `new.${instance}.${unique()}`);
    if (this.#spare.length < maxSparePlaces && renameIfExists(disk, place, spare)) this.#spare.push(spare);
    else disk.removeTree(place);
  }

  close(): void {
    for (const spare of this.#spare.splice(0)) {
      try {
        this.#context.disk.removeTree(spare);
      } catch (error) {
        // Who opens the store next removes it.
        if (!isSystemError(error)) throw error;
      }
    }
  }
}

/** A task's folder on its way into the store. */
class FolderDraft {
  readonly #context: StoreContext;
  readonly #places: DraftPlaces;
  readonly #task: NewTask;
  readonly #now: Instant;
  readonly #place: string;
  /** What it takes on the disk. */
  bytes = 0;
  #state: "none" | "prepared" | "published" | "kept" = "none";

  constructor(context: StoreContext, places: DraftPlaces, { task, now }: Pick<CreateRequest, "task" | "now">) {
    this.#context = context;
    this.#places = places;
    this.#task = task;
    this.#now = now;
    this.#place = placeFor(context, task.id);
  }

  /** The folder that is in place was made here. */
  get isPublished(): boolean {
    return this.#state === "published" || this.#state === "kept";
  }

  /** It has its call, and stays. */
  get isKept(): boolean {
    return this.#state === "kept";
  }

  /** Moves the folder into place. @returns false when there is one already. */
  publish(): boolean {
    const { disk, layout, observe } = this.#context;
    disk.makeFolder(shardFolder(layout, this.#task.id));
    try {
      disk.rename(draftIn(this.#place), taskFolder(layout, this.#task.id));
    } catch (error) {
      if (isTaken(disk, error, taskFolder(layout, this.#task.id))) return false;
      throw error;
    }
    this.#state = this.#task.key === null ? "kept" : "published";
    observe("store.create.published", this.#task.id);
    return true;
  }

  /** Makes the folder aside. @returns false when that was done before. */
  async prepare(): Promise<boolean> {
    if (this.#state !== "none") return false;
    const { disk, durable, observe, syncs } = this.#context;
    const folder = draftIn(this.#place);
    this.#state = "prepared";
    this.#places.open(this.#place);
    const created: TaskEvent = {
      type: "created",
      task: this.#task,
      seq: 1,
      at: new Date(this.#now.wallMs).toISOString(),
    };
    const bodies = [firstHeader(this.#task.id, this.#context.unique()), { seq: 1, events: [created] }];
    const path = join(folder, journalName(1));
    const bytes = Buffer.concat(bodies.map((body) => encodeLine(JSON.stringify(body))));
    this.bytes = bytes.byteLength;
    appendTo(disk, path, bytes, "wx");
    if (durable) await allDone([syncs.sync(path), disk.syncFolder(folder)]);
    observe("store.create.prepared", this.#task.id);
    return true;
  }

  /** The call is claimed: the task stays. */
  keep(): void {
    if (this.#state === "published") this.#state = "kept";
  }

  /** Removes what was made for nothing, and what tells that something was being made. */
  discard(): void {
    const { id, owner, key } = this.#task;
    if (this.#state === "published" && key !== null) withdraw(this.#context, { id, owner, key }, this.#place);
    else if (this.#state === "prepared") this.#context.disk.removeTree(this.#place);
    else if (this.#state !== "none") this.#places.release(this.#place);
    this.#state = "none";
  }
}
