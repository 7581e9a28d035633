import { basename } from "node:path";
import type { Disk } from "@resumable-mcp/store-fs";
import {
  type CrashChoices,
  copyTree,
  crashImage,
  type DataLoss,
  emptyTree,
  type FolderNode,
  type Recording,
  recordDisk,
} from "@resumable-mcp/store-fs/testing";
import type { Random } from "../world/random.js";
import type { World } from "../world/world.js";
import { type DiskFaults, type NoteEffect, newDiskFaults, TimedDisk } from "./disk-faults.js";

/** Where the store of all workers is. */
export const storeFolder = "/store";
const awayFolder = "/store-away";

/**
 * A machine with one disk. Its page cache survives the death of a process; a loss of power leaves what was synced, and of
 * everything else a choice.
 */
export class Machine {
  readonly name: string;
  readonly faults: DiskFaults = newDiskFaults();
  /** What its wall clock is ahead of virtual time: all its processes read the same clock. */
  wallAheadMs = 0;
  readonly effect: NoteEffect;
  readonly #world: World;
  /** Changes with every start, as the kernel's boot id does. */
  bootId = "";
  #boots = 0;
  #base: FolderNode = emptyTree();
  #recording: Recording;

  constructor(name: string, world: World, effect: NoteEffect) {
    this.name = name;
    this.#world = world;
    this.effect = effect;
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

  /** The tasks that the store has set aside as damaged, and what it reports of them. */
  tasksSetAside(): ReadonlyMap<string, string> {
    const { disk } = this;
    const folder = `${storeFolder}/quarantine`;
    const names = disk.exists(folder) ? disk.list(folder) : [];
    const tasks = names.filter((name) => disk.stat(`${folder}/${name}`)?.isFolder === true);
    return new Map(tasks.map((task) => [task, this.textOf(`${folder}/${task}.report.json`)]));
  }

  /** What a file says; nothing where there is none. */
  textOf(path: string): string {
    const { disk } = this;
    const size = disk.stat(path)?.size;
    if (size === undefined) return "";
    const file = disk.open(path, "r");
    const into = Buffer.alloc(size);
    disk.read(file, into, 0);
    disk.close(file);
    return into.toString();
  }

  /** Changes one bit of a file, as a disk that ages does. @returns the file. */
  rot(random: Random): string | undefined {
    const areas = random.percent(60) ? [`${storeFolder}/tasks`] : sharedAreas;
    const files = areas.flatMap((area) => [...filesUnder(this.disk, area)]).filter(({ size }) => size > 0);
    if (files.length === 0) return undefined;
    const { path, size } = random.pick(files);
    const place = random.below(size);
    const file = this.disk.open(path, "r+");
    const byte = Buffer.alloc(1);
    this.disk.read(file, byte, place);
    this.disk.write(file, Buffer.of((byte[0] ?? 0) ^ (1 << random.below(8))), place);
    this.disk.close(file);
    this.effect("rot");
    return path;
  }

  /** Takes whole lines from the end of the journal of a task that finished. @returns its file. */
  loseEnd(random: Random): string | undefined {
    const done = [...filesUnder(this.disk, `${storeFolder}/done`)].map(({ path }) => this.textOf(path)).join("");
    const newest = new Map<string, number>();
    for (const { path } of filesUnder(this.disk, `${storeFolder}/tasks`)) {
      const [, folder = "", epoch] = /^(.*)\/journal\.(\d+)\.jsonl$/.exec(path) ?? [];
      if (epoch !== undefined) newest.set(folder, Math.max(Number(epoch), newest.get(folder) ?? 0));
    }
    const ended = [...newest].filter(([folder, epoch]) => {
      const task = basename(folder);
      // One that no worker ever took can only have been cancelled.
      return epoch > 1 && done.includes(`"${task}"`) && !this.disk.exists(`${storeFolder}/open/${task}`);
    });
    if (ended.length === 0) return undefined;
    const [folder, epoch] = random.pick(ended);
    const path = `${folder}/journal.${epoch}.jsonl`;
    const [header = "", ...lines] = this.textOf(path).split(/(?<=\n)/);
    if (!/"type":"(completed|failed|cancelled)"/.test(lines.at(-1) ?? "")) return undefined;
    const kept = [header, ...lines.slice(0, random.below(lines.length))].join("");
    const file = this.disk.open(path, "r+");
    this.disk.truncate(file, Buffer.byteLength(kept));
    this.disk.close(file);
    this.effect("lost_end");
    return path;
  }

  #boot(): Recording {
    this.#boots += 1;
    this.bootId = `${this.name}-boot-${this.#boots}`;
    const { faults, effect } = this;
    // The base stays as it was when power came back: what is recorded from now on applies to it.
    return recordDisk(new TimedDisk(copyTree(this.#base), { world: this.#world, faults, effect }));
  }
}

/** Makes a machine, and others next to it. */
export function createMachines(others: number, world: World, effect: NoteEffect): readonly [Machine, ...Machine[]] {
  const first = new Machine("machine", world, effect);
  return [first, ...Array.from({ length: others }, (_, place) => new Machine(`machine-${place + 1}`, world, effect))];
}

/**
 * What a store keeps outside its tasks. What is in quarantine or deleted is not read again; a task whose line in `done/` is
 * damaged is missing in lists until the store is repaired.
 */
const sharedAreas = ["format.json", "keys", "workers", "documents"].map((name) => `${storeFolder}/${name}`);

function* filesUnder(disk: Disk, path: string): Generator<{ readonly path: string; readonly size: number }> {
  const stat = disk.stat(path);
  if (stat === undefined) return;
  if (!stat.isFolder) yield { path, size: stat.size };
  else for (const name of disk.list(path)) yield* filesUnder(disk, `${path}/${name}`);
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
