import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { ResumableError } from "@resumable-mcp/core";
import { checkStoreQuotas, type Instant, type QuotaUse } from "@resumable-mcp/core/store";
import type { Disk, FileSystem } from "../disk/disk.js";
import type { FsStoreLimits } from "../disk/limits.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists } from "../disk/whole-file.js";

type UsageContext = Pick<StoreContext, "disk" | "layout" | "limits">;

/** So many names are counted before anything else may happen. */
const maxUnbroken = 1_000;

/**
 * How many tasks a store holds, and how many bytes where a quota asks for it; and whether its disk has room.
 *
 * What this process adds is counted as it happens. What others do, and what deletions free, is known when the store is
 * measured again: when a task is to be made, at most once in `remeasureMs`, or when tasks were deleted here since and
 * there is no room otherwise.
 */
export class StoreUsage {
  readonly #context: UsageContext;
  #tasks = 0;
  /** Those of them that are being made: a measure may not have seen them yet. */
  #beingMade = 0;
  #bytes = 0;
  #measuredMs: number | undefined;
  #isStale = false;
  #measuring: Promise<void> | undefined;

  constructor(context: UsageContext) {
    this.#context = context;
  }

  /**
   * Makes room for one more task.
   *
   * @returns what is called once, with the bytes of the task, or without any if it was not made.
   * @throws {@link ResumableError} `QUOTA_EXCEEDED`.
   */
  async admit(now: Instant): Promise<(bytes?: number) => void> {
    const { disk, layout, limits } = this.#context;
    const fileSystem = disk.fileSystem(layout.directory);
    if (fileSystem !== undefined) checkHeadroom(limits, fileSystem);
    if (!this.#isLimited) return (bytes = 0) => this.add(bytes);
    if (this.#isOld(now) || (this.#isStale && this.#isFull)) await this.#measure(now);
    checkStoreQuotas(limits, { tasks: this.#tasks, bytes: this.#bytes });
    this.#tasks += 1;
    this.#beingMade += 1;
    return (bytes) => {
      this.#beingMade -= 1;
      if (bytes === undefined) this.#tasks -= 1;
      else this.add(bytes);
    };
  }

  /** What quotas are compared with; measured again at most once in `remeasureMs`. */
  async list(now: Instant): Promise<readonly QuotaUse[]> {
    const { disk, layout, limits } = this.#context;
    if (this.#isLimited && this.#isOld(now)) await this.#measure(now);
    const held = [
      { quota: "maxStoreTasks", limit: limits.maxStoreTasks, used: this.#tasks },
      { quota: "maxStoreBytes", limit: limits.maxStoreBytes, used: this.#bytes },
    ].filter(({ limit }) => Number.isFinite(limit));
    const fileSystem = disk.fileSystem(layout.directory);
    return [...held, ...(fileSystem === undefined ? [] : measureHeadroom(limits, fileSystem))];
  }

  /** Notes what was written. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Notes that something was deleted. */
  free(): void {
    this.#isStale = true;
  }

  #isOld({ monotonicMs }: Instant): boolean {
    return this.#measuredMs === undefined || monotonicMs - this.#measuredMs >= this.#context.limits.remeasureMs;
  }

  get #isLimited(): boolean {
    const { maxStoreTasks, maxStoreBytes } = this.#context.limits;
    return Math.min(maxStoreTasks, maxStoreBytes) < Number.POSITIVE_INFINITY;
  }

  get #isFull(): boolean {
    const { maxStoreTasks, maxStoreBytes } = this.#context.limits;
    return this.#tasks >= maxStoreTasks || this.#bytes >= maxStoreBytes;
  }

  #measure(now: Instant): Promise<void> {
    this.#measuring ??= this.#count(now).finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #count(now: Instant): Promise<void> {
    const { disk, layout, limits } = this.#context;
    let tasks = 0;
    let unbroken = 0;
    for (const shard of listIfExists(disk, layout.tasks) ?? []) {
      const count = listIfExists(disk, join(layout.tasks, shard))?.length ?? 0;
      tasks += count;
      unbroken += count;
      if (unbroken < maxUnbroken) continue;
      unbroken = 0;
      await breathe();
    }
    this.#isStale = false;
    const bytes = limits.maxStoreBytes < Number.POSITIVE_INFINITY ? await bytesIn(disk, layout.directory) : 0;
    this.#bytes = bytes;
    this.#tasks = tasks + this.#beingMade;
    // Those that were seen are counted twice until the store is measured again.
    if (this.#beingMade > 0) this.#isStale = true;
    this.#measuredMs = now.monotonicMs;
  }
}

/** The sum of the sizes of all files; one that goes while this looks counts for nothing. */
export async function bytesIn(disk: Disk, path: string): Promise<number> {
  const stat = disk.stat(path);
  if (stat?.isFolder !== true) return stat?.size ?? 0;
  await breathe();
  let sum = 0;
  for (const name of listIfExists(disk, path) ?? []) sum += await bytesIn(disk, join(path, name));
  return sum;
}

/** The limits that keep room on the disk for tasks under way. */
export type HeadroomLimits = Pick<FsStoreLimits, "minFreeBytes" | "minFreePercent" | "minFreeFilesPercent">;

/** What is free on a disk, and how much of it new tasks leave alone. */
export interface Headroom {
  readonly quota: "minFreeBytes" | "minFreeFilesPercent";
  readonly free: number;
  readonly kept: number;
}

/** What limits keep free of a file system: bytes, and files where it has a limit of them. */
export function measureHeadroom(limits: HeadroomLimits, disk: Omit<FileSystem, "type">): readonly Headroom[] {
  const { minFreeBytes, minFreePercent, minFreeFilesPercent } = limits;
  const bytes = Math.min(minFreeBytes, Math.ceil((disk.bytes * minFreePercent) / 100));
  const files = Math.ceil((disk.files * minFreeFilesPercent) / 100);
  return [
    { quota: "minFreeBytes", free: disk.freeBytes, kept: bytes },
    { quota: "minFreeFilesPercent", free: disk.freeFiles, kept: files },
  ];
}

/**
 * Checks whether the disk has room for one more task.
 *
 * @throws {@link ResumableError} `QUOTA_EXCEEDED`; nothing may have been made before.
 */
export function checkHeadroom(limits: HeadroomLimits, disk: Omit<FileSystem, "type">): void {
  const short = measureHeadroom(limits, disk).find(({ free, kept }) => free < kept);
  if (short === undefined) return;
  const { quota, free, kept } = short;
  const unit = quota === "minFreeBytes" ? "bytes" : "files";
  throw new ResumableError(
    "QUOTA_EXCEEDED",
    `The store's disk has room for ${free} ${unit}, and ${kept} are kept free for tasks under way (${quota}). No task was made; existing tasks continue. Make room on the disk, delete finished tasks, or lower ${quota}.`,
    { details: { quota, limit: kept, used: free } },
  );
}
