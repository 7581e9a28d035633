import { join } from "node:path";
import { isFinal, isResumableError, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import * as z from "zod/mini";
import { hashOf, isSafeId, taskFolder } from "./layout.js";
import type { StoreContext } from "./store-context.js";
import type { TaskReader, TaskReading } from "./task-reader.js";
import { createFile, createWhole, listIfExists, readFrom, unlinkIfExists } from "./whole-file.js";

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
  /** The newest claim of the key in question. */
  readonly claim: Claim | undefined;
}

/**
 * Who stands for a call.
 *
 * Claims are numbered files that are created exclusively: whoever decided by what the highest one said, and then
 * gets the next number, decided by the newest there is. Keys share a fixed number of folders, and the highest claim of
 * a folder is never removed, so that a number is never given twice.
 */
export class TaskKeys {
  private readonly context: StoreContext;
  private readonly reader: TaskReader;

  constructor(context: StoreContext, reader: TaskReader) {
    this.context = context;
    this.reader = reader;
  }

  /** The newest claim of a call. */
  look(owner: string, key: string): Bucket {
    const hash = hashOfCall(owner, key);
    const folder = join(this.context.layout.keys, hash.slice(0, 3));
    const numbers = this.numbersIn(folder);
    const claim = numbers.toReversed().reduce<Claim | undefined>((found, number) => {
      if (found !== undefined) return found;
      const other = this.readClaim(folder, number);
      return other?.hash === hash ? other : undefined;
    }, undefined);
    return { folder, highest: numbers.at(-1) ?? 0, claim };
  }

  private numbersIn(folder: string): number[] {
    const names = listIfExists(this.context.disk, folder) ?? [];
    return names
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((left, right) => left - right);
  }

  private readClaim(folder: string, number: number): Claim | undefined {
    const text = readFrom(this.context.disk, join(folder, String(number)))?.toString("utf8") ?? "";
    try {
      return claimSchema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  /** Claims a call. @returns where the claim is, or `undefined` when somebody claimed anything in the folder meanwhile. */
  claim(bucket: Bucket, task: { owner: string; key: string; id: string; generation: number }): string | undefined {
    const { disk, unique } = this.context;
    const claim: Claim = { hash: hashOfCall(task.owner, task.key), taskId: task.id, generation: task.generation };
    const path = join(bucket.folder, String(bucket.highest + 1));
    disk.makeFolder(bucket.folder);
    return createWhole(disk, path, Buffer.from(`${JSON.stringify(claim)}\n`), unique()) ? path : undefined;
  }

  /** The task that a claim speaks for, if it can still run or be reused; settles restarts that nobody finished. */
  async holderOf(claim: Claim): Promise<TaskReading | undefined> {
    const isWritten = ({ record }: TaskReading) => record.generation >= claim.generation;
    const reading = await this.readable(claim.taskId);
    if (reading === undefined || isWritten(reading)) return reading;
    return await this.reader.fence(claim.taskId, isWritten);
  }

  /** A damaged task stands for nothing any more. */
  private async readable(taskId: string): Promise<TaskReading | undefined> {
    try {
      return isSafeId(taskId) ? await this.reader.read(taskId) : undefined;
    } catch (error) {
      if (isResumableError(error, "TASK_CORRUPT")) return undefined;
      throw error;
    }
  }

  /**
   * Claims the call of a finished task that is about to begin anew.
   *
   * @returns what takes the claim back when nothing was written.
   * @throws {@link ResumableError} `KEY_TAKEN`.
   */
  async claimAgain(record: TaskRecord): Promise<() => void> {
    const { owner, key, id, generation } = record;
    if (key === null) return () => {};
    for (;;) {
      const bucket = this.look(owner, key);
      if (bucket.claim !== undefined && bucket.claim.taskId !== id) await this.refuseRival(id, bucket.claim);
      const path = this.claim(bucket, { owner, key, id, generation });
      if (path === undefined) continue;
      if (this.context.durable) await this.context.disk.syncFolder(bucket.folder);
      return () => this.void(path, hashOfCall(owner, key));
    }
  }

  private async refuseRival(taskId: string, claim: Claim): Promise<void> {
    const rival = await this.holderOf(claim);
    if (rival === undefined || isFinal(rival.record.status)) return;
    throw new ResumableError(
      "KEY_TAKEN",
      `Task ${taskId} cannot begin anew: task ${claim.taskId} stands for the same call and is not finished. Use that one.`,
      { details: { taskId, otherTaskId: claim.taskId } },
    );
  }

  /** Keeps the number and takes away what it said. */
  private void(path: string, hash: string): void {
    const { disk, unique } = this.context;
    const draft = `${path}.draft.${unique()}`;
    createFile(disk, draft, Buffer.from(`${JSON.stringify({ hash, taskId: "", generation: 0 })}\n`));
    disk.rename(draft, path);
  }

  /** Makes a call's claim durable. */
  async sync(owner: string, key: string): Promise<void> {
    if (!this.context.durable) return;
    await this.context.disk.syncFolder(this.look(owner, key).folder);
    await this.context.disk.syncFolder(this.context.layout.keys);
  }

  /** Removes the claims of tasks that are gone, except the highest number. */
  prune(owner: string, key: string): void {
    const folder = join(this.context.layout.keys, hashOfCall(owner, key).slice(0, 3));
    for (const number of this.numbersIn(folder).slice(0, -1)) {
      const claim = this.readClaim(folder, number);
      if (claim !== undefined && this.exists(claim.taskId)) continue;
      unlinkIfExists(this.context.disk, join(folder, String(number)));
    }
  }

  private exists(taskId: string): boolean {
    return isSafeId(taskId) && this.context.disk.stat(taskFolder(this.context.layout, taskId)) !== undefined;
  }
}

function hashOfCall(owner: string, key: string): string {
  return hashOf(JSON.stringify([owner, key]));
}
