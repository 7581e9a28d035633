import type { Disk } from "@resumable-mcp/store-fs";
import {
  type CrashChoices,
  copyTree,
  crashImage,
  type DataLoss,
  emptyTree,
  type FolderNode,
  MemoryDisk,
  type Recording,
  recordDisk,
} from "@resumable-mcp/store-fs/testing";
import type { Random } from "../world/random.js";
import type { World } from "../world/world.js";

/** Where the store of all workers is. */
export const storeFolder = "/store";
const awayFolder = "/store-away";

/** What goes wrong with a disk. */
export interface DiskFaults {
  /** Every call that needs room fails until this moment. */
  fullUntilMs: number;
  /** Syncs take long until this moment. */
  slowUntilMs: number;
  /** How many of a hundred calls that change something fail. */
  errorPercent: number;
}

/**
 * A machine with one disk. Its page cache survives the death of a process; a loss of power leaves what was synced, and of
 * everything else a choice.
 */
export class Machine {
  readonly name: string;
  readonly faults: DiskFaults = { fullUntilMs: 0, slowUntilMs: 0, errorPercent: 0 };
  /** What its wall clock is ahead of virtual time: all its processes read the same clock. */
  wallAheadMs = 0;
  readonly #world: World;
  /** Changes with every start, as the kernel's boot id does. */
  bootId = "";
  #boots = 0;
  #base: FolderNode = emptyTree();
  #recording: Recording;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.#recording = this.#boot();
  }

  /** The disk as the machine's processes share it. */
  get disk(): Disk {
    return this.#recording.disk;
  }

  /** Loses power, and starts again with what is left. The processes have to be dead. */
  losePower(random: Random): void {
    this.#base = crashImage(this.#base, this.#recording.events, choicesOf(random));
    this.#recording = this.#boot();
  }

  /** Takes the store's folder away from the processes, which keep what they have open. */
  unmount(): void {
    this.#move(storeFolder, awayFolder);
  }

  /** Brings it back. What stands in its place is covered by it. */
  mount(): void {
    this.disk.removeTree(storeFolder);
    this.#move(awayFolder, storeFolder);
  }

  #move(from: string, to: string): void {
    if (this.disk.exists(from)) this.disk.rename(from, to);
    this.disk.syncFolderNow("/");
  }

  /** Removes a folder of the store, whole also where the power is lost then: of one that lost some names the store promises nothing. */
  remove(name: "open" | "done"): void {
    if (!this.disk.exists(storeFolder)) return;
    const removed = `/${name}-removed`;
    this.disk.removeTree(removed);
    this.#move(`${storeFolder}/${name}`, removed);
    this.disk.syncFolderNow(storeFolder);
  }

  #boot(): Recording {
    this.#boots += 1;
    this.bootId = `${this.name}-boot-${this.#boots}`;
    // The base stays as it was when power came back: what is recorded from now on applies to it.
    return recordDisk(new TimedDisk(copyTree(this.#base), this.#world, this.faults));
  }
}

/** A disk whose syncs take time: what they cover is durable when they end. */
class TimedDisk extends MemoryDisk {
  readonly #world: World;
  readonly #faults: DiskFaults;
  readonly #random: Random;
  /** What a sync takes at most: there are fast disks and slow ones. */
  readonly #syncMs: number;

  constructor(tree: FolderNode, world: World, faults: DiskFaults) {
    super(tree);
    this.#world = world;
    this.#faults = faults;
    this.#random = world.random.fork();
    this.#syncMs = this.#random.pick([4, 4, 60]);
  }

  override async syncData(file: number): Promise<void> {
    await super.syncData(file);
    await this.#wait();
  }

  override async syncFolder(path: string): Promise<void> {
    await super.syncFolder(path);
    await this.#wait();
  }

  #wait(): Promise<void> {
    const slowMs = this.#faults.slowUntilMs > this.#world.nowMs ? this.#random.between(50, 5_000) : 0;
    return new Promise((resolve) => this.#world.after(this.#random.between(0.05, this.#syncMs) + slowMs, resolve));
  }
}

/** What a loss of power leaves of what was not synced: mostly all or nothing, sometimes parts. */
function choicesOf(random: Random): CrashChoices {
  const [namesKept, dataKept] = [random.pick([0, 50, 100]), random.pick([0, 50, 100])];
  return {
    keepsName: () => random.percent(namesKept),
    dataLoss: (): DataLoss => {
      if (random.percent(dataKept)) return "kept";
      const kind = random.below(4);
      if (kind === 0) return "dropped";
      if (kind === 1) return "zeroed";
      if (kind === 2) return { cutAt: random.next() };
      const torn = random.fork();
      return { tornBy: () => torn.percent(50) };
    },
  };
}
