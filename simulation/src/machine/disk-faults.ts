import type { FileNode, FolderNode } from "@resumable-mcp/store-fs/testing";
import { MemoryDisk, SyncLost } from "@resumable-mcp/store-fs/testing";
import type { Random } from "../world/random.js";
import type { World } from "../world/world.js";

/** What is wrong with a disk, and until which moment of virtual time. */
export interface DiskFaults {
  /** What needs room fails, or takes a part of it. */
  fullUntilMs: number;
  /** Syncs take seconds. */
  slowUntilMs: number;
  /** Syncs that begin do not end. */
  stuckUntilMs: number;
  /** Some calls fail, whatever they do. */
  errorsUntilMs: number;
  /** All calls fail that read something. */
  unreadableUntilMs: number;
  /** Many syncs fail. A later sync that succeeds makes durable what they did not. */
  failingSyncsUntilMs: number;
  /**
   * Some syncs of files fail, after which the system takes the pages for written: later syncs succeed without them. Names
   * are not among what is lost: they are in the file system's own journal, whose failure ends the file system.
   */
  lostSyncsUntilMs: number;
}

/** A disk with nothing wrong. */
export function newDiskFaults(): DiskFaults {
  const never = { fullUntilMs: 0, slowUntilMs: 0, stuckUntilMs: 0, errorsUntilMs: 0, unreadableUntilMs: 0 };
  return { ...never, failingSyncsUntilMs: 0, lostSyncsUntilMs: 0 };
}

/** The kinds of faults that are on a disk until a moment. */
const lasting: { readonly [kind: string]: keyof DiskFaults } = {
  full: "fullUntilMs",
  slow: "slowUntilMs",
  stuck: "stuckUntilMs",
  errors: "errorsUntilMs",
  unreadable: "unreadableUntilMs",
  failing_syncs: "failingSyncsUntilMs",
  lost_syncs: "lostSyncsUntilMs",
};

/** Lets a disk have a fault until a moment, where its kind is one of a disk. */
export function strikeDisk(faults: DiskFaults, kind: string, untilMs: number): void {
  const fault = lasting[kind];
  if (fault !== undefined) faults[fault] = untilMs;
}

/** Of a hundred calls of a disk with errors. */
const errorPercent = 5;
/** Of a hundred syncs of a disk whose syncs fail. */
const failingSyncPercent = 40;
/** Of a hundred syncs of files of a disk whose syncs lose what they cover: those after one succeed. */
const lostSyncPercent = 15;

/** Where the effects of a fault are counted: one without any is of no use. */
export type NoteEffect = (effect: string) => void;

/** Fails now and then while the disk has errors. */
export function failAtRandom(world: World, faults: DiskFaults, chance: number, call: string, effect: NoteEffect): void {
  if (faults.errorsUntilMs <= world.nowMs || chance >= errorPercent) return;
  effect("errors");
  throw systemError("EIO", call);
}

/** An error as Node throws it. */
export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${syscall}`), { code, syscall, errno: -1 });
}

interface TimedDiskOptions {
  readonly world: World;
  readonly faults: DiskFaults;
  readonly effect: NoteEffect;
}

/**
 * A disk whose syncs take time, and fail: what they cover is durable when they end well. A sync that lets nothing else
 * happen stops its process meanwhile. What the director does to the machine works at once.
 */
export class TimedDisk extends MemoryDisk {
  readonly #options: TimedDiskOptions;
  readonly #random: Random;
  /** What a sync takes at most: there are fast disks and slow ones. */
  readonly #syncMs: number;
  /** How many syncs of a file lost what they cover, and how many of them an opening has reported. */
  readonly #losses = new WeakMap<FileNode, number>();
  readonly #reported = new Map<number, number>();

  constructor(tree: FolderNode, options: TimedDiskOptions) {
    super(tree);
    this.#options = options;
    this.#random = options.world.random.fork();
    this.#syncMs = this.#random.pick([4, 4, 60]);
  }

  override open(path: string, flags: "r" | "r+" | "a" | "wx"): number {
    const file = super.open(path, flags);
    this.#reported.set(file, this.#losses.get(this.fileOf(file)) ?? 0);
    return file;
  }

  override close(file: number): void {
    super.close(file);
    this.#reported.delete(file);
  }

  override async syncData(file: number): Promise<void> {
    const node = this.fileOf(file);
    await this.#wait();
    this.#fail("fdatasync");
    this.#lose(file, node);
  }

  override async syncFolder(path: string): Promise<void> {
    await super.syncFolder(path);
    await this.#wait();
    this.#fail("fsync");
  }

  override syncDataNow(file: number): void {
    const node = this.fileOf(file);
    this.#stop();
    this.#fail("fdatasync");
    this.#lose(file, node);
  }

  override syncFolderNow(path: string): void {
    super.syncFolderNow(path);
    this.#stop();
    this.#fail("fsync");
  }

  #wait(): Promise<void> {
    const { world } = this.#options;
    return new Promise((resolve) => world.after(this.#random.between(0.05, this.#syncMs) + this.#extraMs(), resolve));
  }

  #stop(): void {
    const { world } = this.#options;
    if (world.current === world.director) return;
    const extraMs = this.#extraMs();
    if (extraMs > 0) world.current.frozenUntilMs = Math.max(world.current.frozenUntilMs, world.nowMs + extraMs);
  }

  #extraMs(): number {
    const { world, faults, effect } = this.#options;
    const stuckMs = faults.stuckUntilMs - world.nowMs;
    if (stuckMs > 0) {
      effect("stuck");
      return stuckMs;
    }
    if (faults.slowUntilMs <= world.nowMs) return 0;
    effect("slow");
    return this.#random.between(50, 5_000);
  }

  #fail(call: string): void {
    const { world, faults, effect } = this.#options;
    if (world.current === world.director) return;
    const chance = this.#random.next() * 100;
    failAtRandom(world, faults, chance, call, effect);
    if (faults.failingSyncsUntilMs <= world.nowMs || chance >= failingSyncPercent) return;
    effect("failing_syncs");
    throw systemError("EIO", call);
  }

  /** Each opening from before a loss reports it once, as Linux does (errseq_t). */
  #lose(file: number, node: FileNode): void {
    const { world, faults, effect } = this.#options;
    const losses = this.#losses.get(node) ?? 0;
    if (world.current === world.director) return;
    if ((this.#reported.get(file) ?? losses) < losses) {
      this.#reported.set(file, losses);
      throw systemError("EIO", "fdatasync");
    }
    if (faults.lostSyncsUntilMs <= world.nowMs || this.#random.next() * 100 >= lostSyncPercent) return;
    effect("lost_syncs");
    this.#losses.set(node, losses + 1);
    this.#reported.set(file, losses + 1);
    throw new SyncLost("EIO: simulated, fdatasync");
  }
}
