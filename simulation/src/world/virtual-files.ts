import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { MemoryDisk } from "@resumable-mcp/store-fs/testing";

/** A program that has files. */
interface Program {
  readonly name: string;
  readonly isAlive: boolean;
}

/** Who calls now, and when calls end. */
interface Turns {
  readonly current: Program;
  nextTurn(run: () => void): unknown;
  wallMs(): number;
}

/**
 * The files of programs that use Node's own names for them, as the toolkit's client does: they are in memory, under one
 * folder. Whatever is elsewhere is refused.
 *
 * Installed when this module is loaded, before any package: some keep a reference to Node's own from then on.
 */
export class VirtualFiles {
  readonly #disk: MemoryDisk;
  readonly #modifiedMs = new Map<string, number>();
  /** After how many of its calls a program dies, and what ends it. */
  readonly #deaths = new Map<Program, { callsLeft: number; readonly die: () => void }>();
  readonly #turns: Turns;

  constructor(turns: Turns, disk: MemoryDisk) {
    this.#turns = turns;
    this.#disk = disk;
  }

  /** Lets a program die at one of its next calls. */
  dieAtCall(program: Program, callsLeft: number, die: () => void): void {
    this.#deaths.set(program, { callsLeft, die });
  }

  /** Does a call in the name of the present program; a dead one can do nothing. */
  call<Result>(run: (disk: MemoryDisk) => Result): Result {
    const { current } = this.#turns;
    const death = this.#deaths.get(current);
    if (death !== undefined && --death.callsLeft <= 0) death.die();
    if (!current.isAlive) throw new Error(`${current.name} is dead`);
    return run(this.#disk);
  }

  /** The same, as calls that Node makes in other threads: it happens in one turn, and is known in the next. */
  callLater<Result>(run: (disk: MemoryDisk) => Result): Promise<Result> {
    const turns = this.#turns;
    return new Promise((resolve, reject) => {
      turns.nextTurn(() => {
        try {
          const result = this.call(run);
          turns.nextTurn(() => resolve(result));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** A folder is opened for its sync alone. */
  open(path: string, flags: string): number {
    const file = this.call((disk) => (disk.stat(path)?.isFolder ? openFolder : disk.open(path, flags as "r")));
    if (flags !== "r") this.#modifiedMs.set(path, this.#turns.wallMs());
    return file;
  }

  stat(path: string) {
    const found = this.call((disk) => disk.stat(path));
    const mtimeMs = this.#modifiedMs.get(path) ?? 0;
    return found && { size: found.size, mtimeMs, mode: 0o600, isDirectory: () => found.isFolder };
  }

  /** A file's whole content. */
  text(path: string): string {
    const file = this.open(path, "r");
    const bytes = Buffer.alloc(this.stat(path)?.size ?? 0);
    this.call((disk) => disk.read(file, bytes, 0));
    this.call((disk) => disk.close(file));
    return bytes.toString();
  }
}

const openFolder = -1;

/** Where the files of simulated programs are. */
export const virtualFolder = "/virtual/";

let files: VirtualFiles | undefined;

/** The files of the run that begins; `undefined`: Node's own. */
export function useFiles(given: VirtualFiles | undefined): void {
  files = given;
}

type Call = (...args: never[]) => unknown;

/** Takes a call for the simulated files, where it names one of them; else Node's own is called. */
function replace(module: object, name: string, isOurs: (first: unknown) => boolean, make: (own: VirtualFiles) => Call) {
  const known = module as Record<string, Call>;
  const real = known[name];
  if (real === undefined) throw new Error(`Node has no ${name}.`);
  known[name] = (...args) =>
    files !== undefined && isOurs(args[0]) ? make(files)(...args) : Reflect.apply(real, module, args);
}

const isPath = (first: unknown): boolean => `${String(first)}/`.startsWith(virtualFolder);
const isFile = (first: unknown): boolean => typeof first === "number";

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, '${path}'`), { code: "ENOENT" });
}

/** What Node's handle of a file can do, as far as it is used. */
function handleOf(own: VirtualFiles, path: string, file: number) {
  return {
    stat: () => own.callLater(() => own.stat(path)),
    readFile: () => own.callLater(() => own.text(path)),
    writeFile: (text: string) => own.callLater((disk) => void disk.write(file, Buffer.from(text), null)),
    sync: () => own.callLater(() => undefined),
    close: () => own.callLater((disk) => disk.close(file)),
  };
}

function replaceFiles(): void {
  const sync = (name: string, isOurs: (first: unknown) => boolean, make: (own: VirtualFiles) => Call) =>
    replace(fs, name, isOurs, make);
  sync("openSync", isPath, (own) => (path: string, flags: string) => own.open(path, flags));
  sync(
    "closeSync",
    isFile,
    (own) => (file: number) => own.call((disk) => (file === openFolder ? undefined : disk.close(file))),
  );
  sync(
    "readSync",
    isFile,
    (own) => (file: number, into: Uint8Array, _at: number, _length: number, position: number) =>
      own.call((disk) => disk.read(file, into, position)),
  );
  sync(
    "writeSync",
    isFile,
    (own) => (file: number, bytes: Uint8Array, _at: number, _length: number, at: number | null) =>
      own.call((disk) => disk.write(file, bytes, at)),
  );
  sync("statSync", isPath, (own) => (path: string) => own.stat(path));
  sync("existsSync", isPath, (own) => (path: string) => own.stat(path) !== undefined);
  sync("mkdirSync", isPath, (own) => (path: string) => own.call((disk) => disk.makeFolder(path)));
  sync("linkSync", isPath, (own) => (from: string, to: string) => own.call((disk) => disk.link(from, to)));
  sync("renameSync", isPath, (own) => (from: string, to: string) => own.call((disk) => disk.rename(from, to)));
  sync("unlinkSync", isPath, (own) => (path: string) => own.call((disk) => disk.unlink(path)));
  for (const name of ["fdatasync", "fsync"]) {
    sync(name, isFile, (own) => (_file: number, done: (error: unknown) => void) => {
      own.callLater(() => undefined).then(() => done(null), done);
    });
  }
  const later = (name: string, make: (own: VirtualFiles) => Call) => replace(fsPromises, name, isPath, make);
  later(
    "open",
    (own) => async (path: string, flags: string) =>
      handleOf(own, path, await own.callLater(() => own.open(path, flags))),
  );
  later("readFile", (own) => (path: string) => own.callLater(() => own.text(path)));
  later("rename", (own) => (from: string, to: string) => own.callLater((disk) => disk.rename(from, to)));
  later("writeFile", (own) => async (path: string, text: string, { flag }: { readonly flag: string }) => {
    const file = handleOf(own, path, await own.callLater(() => own.open(path, flag)));
    await file.writeFile(text).finally(file.close);
  });
  later("rm", (own) => (path: string) => own.callLater((disk) => disk.removeTree(path)));
  later(
    "stat",
    (own) => (path: string) =>
      own.callLater(() => {
        const found = own.stat(path);
        if (found === undefined) throw missing(path);
        return found;
      }),
  );
  syncBuiltinESMExports();
}

replaceFiles();
