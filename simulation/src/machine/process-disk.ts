import type { Disk } from "@resumable-mcp/store-fs";
import { withoutStack } from "@resumable-mcp/store-fs/testing";
import type { Random } from "../world/random.js";
import type { Actor, World } from "../world/world.js";
import { failAtRandom, systemError } from "./disk-faults.js";
import type { Machine } from "./machine.js";

/** Thrown where a process dies: nothing of it continues. */
export class ProcessDied extends Error {}

/** What is wrong with one process. */
export interface ProcessFaults {
  /** It dies after this many of its calls of the disk, before or after the call takes effect. */
  death: { callsLeft: number; readonly isBefore: boolean } | undefined;
  /** It has no file descriptors left until this moment. */
  noFilesUntilMs: number;
}

interface ProcessDiskOptions {
  readonly world: World;
  readonly machine: Machine;
  readonly actor: Actor;
  readonly faults: ProcessFaults;
  readonly die: () => void;
  /** Whether it is to die at a call, before or after the call takes effect. */
  readonly diesAt: (call: string, path: string) => { readonly isBefore: boolean } | undefined;
}

/**
 * The machine's disk as one process sees it: the process can die at each call, and calls fail as a real disk's do. After
 * the death every call throws, so that code which still runs has no effect.
 */
export function createProcessDisk(options: ProcessDiskOptions): Disk {
  const { machine } = options;
  const calls = new Calls(options);
  const paths = new Map<number, string>();
  const pathOf = (file: number) => paths.get(file) ?? "";
  const open: Disk["open"] = (path, flags) => {
    const file =
      flags === "r"
        ? calls.read("open", (disk) => disk.open(path, flags))
        : calls.change("open", path, (disk) => disk.open(path, flags));
    paths.set(file, path);
    return file;
  };
  return {
    open,
    close: (file) => {
      paths.delete(file);
      calls.plain(() => machine.disk.close(file));
    },
    read: (file, into, position) => calls.read("read", (disk) => disk.read(file, into, position)),
    write: (file, bytes, position) =>
      calls.change("write", pathOf(file), (disk) => disk.write(file, calls.fitting(bytes), position)),
    truncate: (file, length) => calls.change("ftruncate", pathOf(file), (disk) => disk.truncate(file, length)),
    stat: (path) => calls.read("stat", (disk) => disk.stat(path)),
    identify: (path) => calls.plain((disk) => disk.identify(path)),
    realPath: (path) => path,
    kindOf: (path) => calls.plain((disk) => disk.kindOf(path)),
    exists: (path) => calls.plain((disk) => disk.exists(path)),
    list: (folder) => calls.read("scandir", (disk) => disk.list(folder)),
    makeFolder: (path) => calls.change("mkdir", path, (disk) => disk.makeFolder(path)),
    link: (from, to) => calls.change("link", to, (disk) => disk.link(from, to)),
    rename: (from, to) => calls.change("rename", from, (disk) => disk.rename(from, to)),
    unlink: (path) => calls.change("unlink", path, (disk) => disk.unlink(path)),
    removeFolder: (path) => calls.change("rmdir", path, (disk) => disk.removeFolder(path)),
    removeTree: (path) => calls.change("rm", path, (disk) => disk.removeTree(path)),
    syncData: async (file) => calls.change("fdatasync", pathOf(file), (disk) => disk.syncData(file)),
    syncDataNow: (file) => calls.change("fdatasync", pathOf(file), (disk) => disk.syncDataNow(file)),
    syncFolder: async (path) => calls.change("fsync", path, (disk) => disk.syncFolder(path)),
    syncFolderNow: (path) => calls.change("fsync", path, (disk) => disk.syncFolderNow(path)),
    fileSystem: () => undefined,
    watch: (path, changed, failed) => calls.plain((disk) => disk.watch(path, changed, failed)),
  };
}

const needRoom: ReadonlySet<string> = new Set(["write", "open", "mkdir", "link", "rename"]);
/** To sync a folder or to list it, it is opened. */
const needFile: ReadonlySet<string> = new Set(["open", "scandir", "fsync", "rm"]);
/** They fail on the disk itself, which then does not write what they cover. */
const syncs: ReadonlySet<string> = new Set(["fdatasync", "fsync"]);

class Calls {
  readonly #options: ProcessDiskOptions;
  readonly #random: Random;

  constructor(options: ProcessDiskOptions) {
    this.#options = options;
    this.#random = options.world.random.fork();
  }

  plain<Result>(run: (disk: Disk) => Result): Result {
    const { actor, machine } = this.#options;
    if (!actor.isAlive) throw withoutStack(() => new ProcessDied(`${actor.name} is dead`));
    return run(machine.disk);
  }

  read<Result>(call: string, run: (disk: Disk) => Result): Result {
    return this.plain((disk) => {
      this.#failToRead(call);
      this.#fail(call);
      return run(disk);
    });
  }

  change<Result>(call: string, path: string, run: (disk: Disk) => Result): Result {
    return this.plain((disk) => {
      const last = this.#lastAt(call, path);
      if (last?.isBefore === true) return this.#end();
      this.#failForRoom(call);
      if (!syncs.has(call)) this.#fail(call);
      else this.#failForFiles(call);
      const result = run(disk);
      return last === undefined ? result : this.#end();
    });
  }

  /** The death that comes with this call. */
  #lastAt(call: string, path: string): { readonly isBefore: boolean } | undefined {
    const { faults, diesAt } = this.#options;
    const { death } = faults;
    return death !== undefined && --death.callsLeft <= 0 ? death : diesAt(call, path);
  }

  /** As much of what is written as the disk has room for. */
  fitting(bytes: Uint8Array): Uint8Array {
    if (!this.#isFull) return bytes;
    this.#options.machine.effect("full, in the middle of a write");
    return bytes.subarray(0, this.#random.below(bytes.byteLength));
  }

  get #isFull(): boolean {
    const { world, machine } = this.#options;
    return machine.faults.fullUntilMs > world.nowMs;
  }

  #failForRoom(call: string): void {
    // What needs little may still find room, and a write takes what is left.
    if (!this.#isFull || !needRoom.has(call) || this.#random.percent(50)) return;
    this.#options.machine.effect("full");
    throw systemError("ENOSPC", call);
  }

  #failForFiles(call: string): void {
    const { world, machine, faults } = this.#options;
    if (faults.noFilesUntilMs <= world.nowMs || !needFile.has(call)) return;
    machine.effect("no_files");
    throw systemError("EMFILE", call);
  }

  #failToRead(call: string): void {
    const { world, machine } = this.#options;
    if (machine.faults.unreadableUntilMs <= world.nowMs) return;
    machine.effect("unreadable");
    throw systemError("EIO", call);
  }

  #fail(call: string): void {
    const { world, machine } = this.#options;
    this.#failForFiles(call);
    failAtRandom(world, machine.faults, this.#random.next() * 100, call, machine.effect);
  }

  #end(): never {
    const { die, actor } = this.#options;
    die();
    throw withoutStack(() => new ProcessDied(`${actor.name} died`));
  }
}
