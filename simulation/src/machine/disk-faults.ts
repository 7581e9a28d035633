import type { FolderNode } from "@resumable-mcp/store-fs/testing";
import { MemoryDisk } from "@resumable-mcp/store-fs/testing";
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
  /** Many syncs fail. A later sync that succeeds makes durable what they did not. */
  failingSyncsUntilMs: number;
}

/** A disk with nothing wrong. */
export function newDiskFaults(): DiskFaults {
  return { fullUntilMs: 0, slowUntilMs: 0, stuckUntilMs: 0, errorsUntilMs: 0, failingSyncsUntilMs: 0 };
}

/** Of a hundred calls of a disk with errors. */
const errorPercent = 5;
/** Of a hundred syncs of a disk whose syncs fail. */
const failingSyncPercent = 40;

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

  constructor(tree: FolderNode, options: TimedDiskOptions) {
    super(tree);
    this.#options = options;
    this.#random = options.world.random.fork();
    this.#syncMs = this.#random.pick([4, 4, 60]);
  }

  override async syncData(file: number): Promise<void> {
    await super.syncData(file);
    await this.#wait();
    this.#fail("fdatasync");
  }

  override async syncFolder(path: string): Promise<void> {
    await super.syncFolder(path);
    await this.#wait();
    this.#fail("fsync");
  }

  override syncDataNow(file: number): void {
    super.syncDataNow(file);
    this.#stop();
    this.#fail("fdatasync");
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
}
