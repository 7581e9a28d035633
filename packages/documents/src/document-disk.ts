import fs from "node:fs";
import { promisify } from "node:util";

/**
 * The file system, as far as a document uses it: everything that can fail goes through here.
 *
 * Calls throw what Node throws, with its `code`. All but the syncs are synchronous: between two of them nothing else of
 * this process can happen.
 */
export interface DocumentDisk {
  /** `wx` creates exclusively. `mode` counts for a file that is made. */
  open(path: string, flags: "r" | "r+" | "wx", mode?: number): number;
  close(file: number): void;
  read(file: number, into: Uint8Array, position: number): number;
  /** Writes at a position, or behind what was written. @returns how many bytes were taken. */
  write(file: number, bytes: Uint8Array, position: number | null): number;
  /** Gives `undefined` for what does not exist. */
  stat(path: string): { readonly size: number } | undefined;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /** Makes a file's content durable. */
  syncData(file: number): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);

/**
 * Renames a file or a folder. Windows refuses that while a virus scanner or an index reads it: there it is tried again, for half a
 * second in all.
 */
export function renamePatiently(
  from: string,
  to: string,
  { platform, renameSync }: { readonly platform: string; readonly renameSync: (from: string, to: string) => void },
): void {
  for (let tries = 1; ; tries += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && /^(EPERM|EACCES|EBUSY)$/.test(String(error.code));
      if (platform !== "win32" || !isBusy || tries === 10) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * tries);
    }
  }
}

/** The file system of the machine. */
export const nodeDocumentDisk: DocumentDisk = {
  open: (path, flags, mode) => fs.openSync(path, flags, mode),
  close: (file) => fs.closeSync(file),
  read: (file, into, position) => fs.readSync(file, into, 0, into.byteLength, position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.byteLength, position),
  stat: (path) => fs.statSync(path, { throwIfNoEntry: false }),
  rename: (from, to) => renamePatiently(from, to, { platform: process.platform, renameSync: fs.renameSync }),
  unlink: (path) => fs.unlinkSync(path),
  syncData: (file) => fdatasync(file),
  async syncFolder(path) {
    // Windows opens no folder; a rename is atomic there without it.
    if (process.platform === "win32") return;
    const folder = fs.openSync(path, "r");
    await fsync(folder).finally(() => fs.closeSync(folder));
  },
};
