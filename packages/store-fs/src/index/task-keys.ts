import { join } from "node:path";
import { isFinal, isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { BoundedCache } from "@resumable-mcp/core/internal";
import { storeErrors } from "@resumable-mcp/core/store";
import { z } from "zod";
import { decodeWhole, encodeLine } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { claimFiles, hashText, isSafeId, taskFolder } from "../disk/layout.js";
import { newest } from "../disk/numbered-files.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { createWhole, listIfExists, readFrom, replaceWhole, unlinkIfExists } from "../disk/whole-file.js";
import { lookAt, taskExists, taskIds } from "../journal/task-folder.js";
import { readableView } from "../journal/task-view.js";
import type { TaskReading } from "../task/held-task.js";
import type { TaskReader } from "../task/task-reader.js";

const claimSchema = z.object({
  hash: z.string(),
  taskId: z.string(),
  /** The generation that the claim is for: a later one than the task's is a restart that is not written yet. */
  generation: z.number(),
});
type Claim = z.infer<typeof claimSchema>;

/** The claims that share a folder. */
interface Bucket {
  readonly folder: string;
  readonly highest: number;
  /** The newest claim of the key in question that speaks for a task. */
  readonly claim: Claim | undefined;
  readonly path: string | undefined;
  /** A newer claim in the folder cannot be read, and may be one of this key. */
  readonly isDoubtful: boolean;
}

/**
 * Which task has a call.
 *
 * Claims are numbered files that are created exclusively: a process that decided by what the highest one said, and then
 * gets the next number, decided by the newest there is. Keys share a fixed number of folders, and the highest claim of
 * a folder is never removed, so that a number is never given twice.
 */
export class TaskKeys {
  readonly #context: StoreContext;
  readonly #reader: TaskReader;
  #known: KnownClaims;

  constructor(context: StoreContext, reader: TaskReader) {
    this.#context = context;
    this.#reader = reader;
    this.#known = new KnownClaims(context.limits);
  }

  /** The newest claim of a call: one that was taken back, or whose task was deleted, uncovers the one before it. */
  look(owner: string, key: string): Bucket {
    const hash = hashOfCall(owner, key);
    const folder = join(this.#context.layout.keys, hash.slice(0, 3));
    const numbers = claimFiles.list(this.#context.disk, folder);
    const highest = numbers.at(-1) ?? 0;
    const candidates = this.#known.candidates(folder, numbers, hash);
    let isDoubtful = false;
    const found = newest(
      () => candidates,
      (number) => {
        const claim = this.#readClaim(folder, number);
        if (claim === "damaged") isDoubtful = true;
        if (claim === undefined || claim === "damaged") return undefined;
        this.#known.note(folder, number, claim.hash);
        return claim.hash === hash && taskExists(this.#context, claim.taskId) ? { claim, number } : undefined;
      },
    );
    const path = found && join(folder, claimFiles.nameOf(found.number));
    return { folder, highest, claim: found?.claim, path, isDoubtful };
  }

  /**
   * Finds the task of a call where a damaged claim hides it: an unfinished task has a marker and says itself whose
   * it is. What is found is claimed again, so that the next process that asks finds it at once.
   *
   * @returns whether there is something new to look at.
   */
  async restore(bucket: Bucket, owner: string, key: string): Promise<boolean> {
    for (const taskId of listIfExists(this.#context.disk, this.#context.layout.open) ?? []) {
      const record = (await this.#readable(taskId))?.record;
      if (record?.owner !== owner || record.key !== key || isFinal(record.status)) continue;
      if (bucket.claim?.taskId === taskId) return false;
      this.claim(bucket, { owner, key, id: taskId, generation: record.generation });
      return true;
    }
    return false;
  }

  #readClaim(folder: string, number: number): Claim | "damaged" | undefined {
    const bytes = readFrom(this.#context.disk, join(folder, claimFiles.nameOf(number)));
    return bytes && (parseClaim(bytes) ?? "damaged");
  }

  /** Claims a call. @returns where the claim is, or `undefined` when another process claimed anything in the folder meanwhile. */
  claim(bucket: Bucket, task: { owner: string; key: string; id: string; generation: number }): string | undefined {
    const { disk, unique } = this.#context;
    const claim: Claim = { hash: hashOfCall(task.owner, task.key), taskId: task.id, generation: task.generation };
    const path = join(bucket.folder, claimFiles.nameOf(bucket.highest + 1));
    disk.makeFolder(bucket.folder);
    return createWhole(disk, path, encodeLine(JSON.stringify(claim)), unique()) ? path : undefined;
  }

  /** Claims the calls of unfinished tasks, durably, when all claims were lost. */
  claimAll(): void {
    this.#known = new KnownClaims(this.#context.limits);
    for (const taskId of taskIds(this.#context)) {
      const record = readableView(this.#context, taskId)?.record;
      if (record === undefined || isFinal(record.status)) continue;
      this.#claimNow(record, ({ claim }) => claim === undefined);
    }
  }

  /** Claims the call of a task, durably, as long as it `isFree`. @returns what there is then. */
  #claimNow({ owner, key, id, generation }: TaskRecord, isFree: (bucket: Bucket) => boolean): Bucket | undefined {
    const { disk, layout, durable, syncs } = this.#context;
    if (key === null) return undefined;
    for (;;) {
      const bucket = this.look(owner, key);
      if (!isFree(bucket)) return bucket;
      const path = this.claim(bucket, { owner, key, id, generation });
      if (path === undefined || !durable) continue;
      syncs.syncNow(path);
      disk.syncFolderNow(bucket.folder);
      disk.syncFolderNow(layout.keys);
    }
  }

  /**
   * Tells whether a task has the claim of its call. One has not whose maker died before the claim was durable: no caller
   * knows of it, and the same call makes another one.
   */
  isClaimed(taskId: string): boolean {
    const { disk, layout } = this.#context;
    // One that a worker took had its claim.
    if (lookAt(disk, taskFolder(layout, taskId))?.newest !== 1) return true;
    const record = readableView(this.#context, taskId)?.record;
    return record === undefined || record.key === null || this.hasCall(record);
  }

  /** Tells whether a task has its call. Where a claim cannot be read, the task claims its call again, unless another one had it. */
  hasCall(record: TaskRecord): boolean {
    const isFree = ({ claim, isDoubtful }: Bucket) =>
      claim?.taskId !== record.id && isDoubtful && !this.#isUnfinished(claim) && !this.#isOfMarked(record);
    return this.#claimNow(record, isFree)?.claim?.taskId === record.id;
  }

  /** Tells whether another unfinished task shows by its marker that it had the call of one that has no marker. */
  #isOfMarked({ id, owner, key }: TaskRecord): boolean {
    const marked = listIfExists(this.#context.disk, this.#context.layout.open) ?? [];
    const isOfCall = (taskId: string) => {
      const record = readableView(this.#context, taskId)?.record;
      return record?.owner === owner && record.key === key && !isFinal(record.status);
    };
    return !marked.includes(id) && marked.some(isOfCall);
  }

  #isUnfinished(claim: Claim | undefined): boolean {
    const record = claim && readableView(this.#context, claim.taskId)?.record;
    return record !== undefined && !isFinal(record.status);
  }

  /** The task that a claim speaks for, if it can still run or be reused; ends restarts that were never finished. */
  async holderOf(claim: Claim): Promise<TaskReading | undefined> {
    const isWritten = ({ record }: TaskReading) => record.generation >= claim.generation;
    const reading = await this.#readable(claim.taskId);
    if (reading === undefined || isWritten(reading)) return reading;
    return await this.#reader.fence(claim.taskId, isWritten);
  }

  /** Tells whether a task is there that can be read and has not finished. */
  async isUnfinished(taskId: string): Promise<boolean> {
    const reading = await this.#readable(taskId);
    return reading !== undefined && !isFinal(reading.record.status);
  }

  /** A damaged task has no call any more. */
  async #readable(taskId: string): Promise<TaskReading | undefined> {
    try {
      return isSafeId(taskId) ? await this.#reader.read(taskId) : undefined;
    } catch (error) {
      if (isResumableError(error, "TASK_CORRUPT")) return undefined;
      throw error;
    }
  }

  /**
   * Claims the call of a finished task that is about to begin again.
   *
   * @returns what takes the claim back when nothing was written.
   * @throws {@link ResumableError} `KEY_TAKEN`.
   */
  async claimAgain(record: TaskRecord): Promise<() => void> {
    const { owner, key, id, generation } = record;
    if (key === null) return () => {};
    for (;;) {
      const bucket = this.look(owner, key);
      if (bucket.isDoubtful && (await this.restore(bucket, owner, key))) continue;
      await this.refuseRival(id, bucket.claim);
      const path = this.claim(bucket, { owner, key, id, generation });
      if (path === undefined) continue;
      await this.sync(owner, key);
      return () => this.void(path, hashOfCall(owner, key));
    }
  }

  /** @throws {@link ResumableError} `KEY_TAKEN` when a claim is of another task, which is not finished. */
  async refuseRival(taskId: string, claim: Claim | undefined): Promise<void> {
    if (claim === undefined || claim.taskId === taskId) return;
    const rival = await this.holderOf(claim);
    if (rival === undefined || isFinal(rival.record.status)) return;
    throw storeErrors.keyTaken(taskId, claim.taskId);
  }

  /** Keeps the number and takes away what it said. */
  void(path: string, hash: string): void {
    const { disk, unique, durable } = this.#context;
    replaceWhole(disk, path, encodeLine(JSON.stringify({ hash, taskId: "", generation: 0 })), unique(), durable);
  }

  /** Makes a call's claims durable, with what they say: one that is empty after a loss of power names no task. */
  async sync(owner: string, key: string): Promise<void> {
    const { disk, durable, syncs } = this.#context;
    if (!durable) return;
    const { folder, path } = this.look(owner, key);
    const file = path === undefined ? undefined : this.#syncFile(path);
    await allDone([file, disk.syncFolder(folder), syncs.syncName(folder)]);
  }

  /** It may have been removed meanwhile, by the process that claimed the next number. */
  async #syncFile(path: string): Promise<void> {
    try {
      await this.#context.syncs.sync(path);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  /** Removes the claims of deleted tasks, except the highest number. */
  prune(owner: string, key: string): void {
    const folder = join(this.#context.layout.keys, hashOfCall(owner, key).slice(0, 3));
    for (const number of claimFiles.list(this.#context.disk, folder).slice(0, -1)) {
      const claim = this.#readClaim(folder, number);
      if (claim === "damaged" || (claim !== undefined && taskExists(this.#context, claim.taskId))) continue;
      unlinkIfExists(this.#context.disk, join(folder, claimFiles.nameOf(number)));
    }
  }
}

/** Parses what a claim's file says; `undefined` when it says nothing that can be understood. */
export function parseClaim(bytes: Buffer): Claim | undefined {
  return claimSchema.safeParse(decodeWhole(bytes)).data;
}

/** What a claim calls an owner's key. */
export function hashOfCall(owner: string, key: string): string {
  return hashText(JSON.stringify([owner, key]));
}

/** Of a call's hash so much is kept as fits into a small number; the files of calls that share it are read. */
const markStart = 3;
const markEnd = 10;

/**
 * Remembers whose claims were read, so that those of other calls are read once and not for every new task: what a claim
 * says of its call never changes, and its number is never given again.
 */
export class KnownClaims {
  /** Marks of calls by the numbers of their claims, for each folder. */
  readonly #folders: BoundedCache<Map<number, number>>;

  constructor({ maxKnownClaims }: { readonly maxKnownClaims: number }) {
    this.#folders = new BoundedCache({ maxEntries: Number.POSITIVE_INFINITY, maxBytes: maxKnownClaims });
  }

  /** Gives the numbers whose claims may be about a call, without those that are known to be about another. */
  candidates(folder: string, numbers: readonly number[], hash: string): readonly number[] {
    const known = this.#folders.get(folder);
    if (known === undefined) return numbers;
    this.#forget(folder, known, numbers);
    const mark = markOf(hash);
    return numbers.filter((number) => (known.get(number) ?? mark) === mark);
  }

  /** Notes what a claim that could be read is about. */
  note(folder: string, number: number, hash: string): void {
    const known = this.#folders.get(folder) ?? new Map<number, number>();
    known.set(number, markOf(hash));
    this.#folders.set(folder, known, known.size);
  }

  #forget(folder: string, known: Map<number, number>, numbers: readonly number[]): void {
    if (known.size <= numbers.length) return;
    const present = new Set(numbers);
    for (const number of known.keys()) if (!present.has(number)) known.delete(number);
    this.#folders.set(folder, known, known.size);
  }
}

/** The folder says what the hash begins with. */
function markOf(hash: string): number {
  return Number.parseInt(hash.slice(markStart, markEnd), 16);
}
