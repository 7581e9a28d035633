import { dirname, join } from "node:path";
import { type Disk, hasCode } from "./disk.js";

/** Reads a file from a position to its end, or gives `undefined` when there is none. */
export function readFrom(disk: Disk, path: string, position = 0): Buffer | undefined {
  const file = openIfExists(disk, path);
  if (file === undefined) return undefined;
  try {
    const size = disk.stat(path)?.size ?? 0;
    return readRange(disk, file, position, Math.max(size - position, 0));
  } finally {
    disk.close(file);
  }
}

/** The result of a call of the system, or `undefined` where there is no such file or folder. */
export function ifThere<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Opens a file for reading, or gives `undefined` when there is none. */
export function openIfExists(disk: Disk, path: string): number | undefined {
  return ifThere(() => disk.open(path, "r"));
}

/** Reads up to `length` bytes; fewer when the file is shorter. */
export function readRange(disk: Disk, file: number, position: number, length: number): Buffer {
  return readInto(disk, file, position, Buffer.allocUnsafe(length));
}

/** As `readRange`, as many bytes as fit. @returns the part of `into` that was filled. */
export function readInto(disk: Disk, file: number, position: number, into: Buffer): Buffer {
  let filled = 0;
  while (filled < into.byteLength) {
    const count = disk.read(file, into.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  return into.subarray(0, filled);
}

/** Writes all bytes at a position or at the end, or throws: a short write is a full disk. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array, position: number | null = null): void {
  const count = disk.write(file, bytes, position);
  if (count === bytes.byteLength) return;
  throw Object.assign(new Error(`ENOSPC: ${count} of ${bytes.byteLength} bytes were written`), {
    code: "ENOSPC",
    syscall: "write",
  });
}

/** Makes a file that must not exist yet. */
export function createFile(disk: Disk, path: string, bytes: Uint8Array): void {
  appendTo(disk, path, bytes, "wx");
}

/** Appends to a file, which is made where there is none. */
export function appendTo(disk: Disk, path: string, bytes: Uint8Array, flags: "a" | "wx" = "a"): void {
  const file = disk.open(path, flags);
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}

/** Makes an empty file unless it exists. */
export function touchFile(disk: Disk, path: string): void {
  disk.close(disk.open(path, "a"));
}

/** Tells whether a folder was not renamed since there is one of the name; Windows says EPERM of that. */
export function isTaken(disk: Disk, error: unknown, path: string): boolean {
  return hasCode(error, "ENOTEMPTY", "EEXIST") || (hasCode(error, "EPERM", "EACCES") && disk.exists(path));
}

/** Links a complete file to a name that must be free. @returns false when the name is taken. */
export function linkUnlessTaken(disk: Disk, from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/**
 * Creates a file complete with its content under a name that must be free.
 *
 * @param isSynced its content is durable before it has the name.
 * @returns false when the name is taken.
 */
export function createWhole(disk: Disk, path: string, bytes: Uint8Array, unique: string, isSynced = false): boolean {
  const draft = join(dirname(path), `.draft.${unique}`);
  try {
    createFile(disk, draft, bytes);
    if (isSynced) syncDraft(disk, draft);
    return linkUnlessTaken(disk, draft, path);
  } finally {
    unlinkIfExists(disk, draft);
  }
}

/** Puts a file with other content in the place of one. @param isSynced its content is durable before that. */
export function replaceWhole(disk: Disk, path: string, bytes: Uint8Array, unique: string, isSynced: boolean): void {
  const draft = join(dirname(path), `.draft.${unique}`);
  try {
    createFile(disk, draft, bytes);
    if (isSynced) syncDraft(disk, draft);
    disk.rename(draft, path);
  } catch (error) {
    unlinkIfExists(disk, draft);
    throw error;
  }
}

/** Removes a file. @returns false when there was none. */
export function unlinkIfExists(disk: Disk, path: string): boolean {
  return isDone(() => disk.unlink(path));
}

/** Moves a file or folder. @returns false when there was none: another process was faster. */
export function renameIfExists(disk: Disk, from: string, to: string): boolean {
  return isDone(() => disk.rename(from, to));
}

function isDone(call: () => void): boolean {
  const done = ifThere(() => {
    call();
    return true;
  });
  return done ?? false;
}

/** Lists a folder, or gives `undefined` when there is none. */
export function listIfExists(disk: Disk, folder: string): readonly string[] | undefined {
  return ifThere(() => disk.list(folder));
}

/** Makes the content of a draft durable: one that fails is thrown away. */
function syncDraft(disk: Disk, path: string): void {
  withFile(disk, path, "r+", (file) => disk.syncDataNow(file));
}

/** Writes the first bytes of a file over themselves. */
export function rewriteInPlace(disk: Disk, path: string, length: number): void {
  withFile(disk, path, "r+", (file) => writeAll(disk, file, readRange(disk, file, 0, length), 0));
}

/** Opens a file for one use. */
export function withFile<Result>(
  disk: Disk,
  path: string,
  flags: Parameters<Disk["open"]>[1],
  run: (file: number) => Result,
): Result {
  const file = disk.open(path, flags);
  try {
    return run(file);
  } finally {
    disk.close(file);
  }
}
