import type { Disk } from "@resumable-mcp/store-fs";
import type { Actor, World } from "../world/world.js";
import type { Machine } from "./machine.js";

/** Thrown where a process dies: nothing of it continues. */
export class ProcessDied extends Error {}

/** Where a process is to die: after this many of its calls of the disk, before or after the call takes effect. */
export interface DeathPlan {
  callsLeft: number;
  readonly isBefore: boolean;
}

interface ProcessDiskOptions {
  readonly world: World;
  readonly machine: Machine;
  readonly actor: Actor;
  /** Asked at each call that changes something. */
  readonly death: () => DeathPlan | undefined;
  readonly die: () => void;
}

/**
 * The machine's disk as one process sees it: the process can die at each call, and calls fail as a real disk's do. After
 * the death every call throws, so that code which still runs has no effect.
 */
export function createProcessDisk(options: ProcessDiskOptions): Disk {
  const { world, machine, actor } = options;
  const random = world.random.fork();
  const alive = () => {
    if (!actor.isAlive) throw new ProcessDied(`${actor.name} is dead`);
  };
  const read = <Result>(run: (disk: Disk) => Result): Result => {
    alive();
    return run(machine.disk);
  };
  const change = <Result>(call: string, run: (disk: Disk) => Result): Result => {
    alive();
    const plan = options.death();
    const isLast = plan !== undefined && --plan.callsLeft <= 0;
    if (isLast && plan.isBefore) return endWith(options);
    failAtRandom(options, random.next() * 100, call);
    const result = run(machine.disk);
    if (isLast) return endWith(options);
    return result;
  };
  return {
    open: (path, flags) =>
      flags === "r" ? read((disk) => disk.open(path, flags)) : change("open", (disk) => disk.open(path, flags)),
    close: (file) => read((disk) => disk.close(file)),
    read: (file, into, position) => read((disk) => disk.read(file, into, position)),
    write: (file, bytes, position) => change("write", (disk) => disk.write(file, bytes, position)),
    truncate: (file, length) => change("ftruncate", (disk) => disk.truncate(file, length)),
    stat: (path) => read((disk) => disk.stat(path)),
    identify: (path) => read((disk) => disk.identify(path)),
    exists: (path) => read((disk) => disk.exists(path)),
    list: (folder) => read((disk) => disk.list(folder)),
    makeFolder: (path) => change("mkdir", (disk) => disk.makeFolder(path)),
    link: (from, to) => change("link", (disk) => disk.link(from, to)),
    rename: (from, to) => change("rename", (disk) => disk.rename(from, to)),
    unlink: (path) => change("unlink", (disk) => disk.unlink(path)),
    removeFolder: (path) => change("rmdir", (disk) => disk.removeFolder(path)),
    removeTree: (path) => change("rm", (disk) => disk.removeTree(path)),
    syncData: async (file) => change("fdatasync", (disk) => disk.syncData(file)),
    syncDataNow: (file) => change("fdatasync", (disk) => disk.syncDataNow(file)),
    syncFolder: async (path) => change("fsync", (disk) => disk.syncFolder(path)),
    syncFolderNow: (path) => change("fsync", (disk) => disk.syncFolderNow(path)),
    fileSystemType: () => undefined,
    watch: (path, changed, failed) => read((disk) => disk.watch(path, changed, failed)),
  };
}

function endWith({ die, actor }: ProcessDiskOptions): never {
  die();
  throw new ProcessDied(`${actor.name} died`);
}

const needsRoom: ReadonlySet<string> = new Set(["write", "open", "mkdir", "link", "rename"]);

function failAtRandom({ world, machine: { faults } }: ProcessDiskOptions, chance: number, call: string): void {
  if (faults.fullUntilMs > world.nowMs && needsRoom.has(call)) throw systemError("ENOSPC", call);
  if (chance >= faults.errorPercent) return;
  throw systemError(call === "open" ? "EMFILE" : "EIO", call);
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${syscall}`), { code, syscall, errno: -1 });
}
