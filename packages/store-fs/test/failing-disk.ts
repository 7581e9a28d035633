import type { Disk } from "../src/disk.js";
import { nodeDisk } from "../src/node-disk.js";

/** Decides of each operation that changes something whether it fails, and how. */
export type Verdict = (operation: string, path: string) => "ENOSPC" | "EIO" | "short" | undefined;

/** The machine's disk, some of whose operations fail. */
export function failingDisk(verdict: Verdict): Disk {
  const paths = new Map<number, string>();
  const check = (operation: string, path: string) => {
    const code = verdict(operation, path);
    if (code !== undefined) throw systemError(code === "short" ? "ENOSPC" : code, operation, path);
  };
  return {
    ...nodeDisk,
    open(path, flags) {
      if (flags !== "r") check("open", path);
      const file = nodeDisk.open(path, flags);
      paths.set(file, path);
      return file;
    },
    write(file, bytes, position) {
      const path = paths.get(file) ?? "";
      const code = verdict("write", path);
      if (code === undefined) return nodeDisk.write(file, bytes, position);
      const half = bytes.subarray(0, bytes.byteLength >> 1);
      if (half.byteLength > 0) nodeDisk.write(file, half, position);
      if (code === "short") return half.byteLength;
      throw systemError(code, "write", path);
    },
    makeFolder(path) {
      check("mkdir", path);
      nodeDisk.makeFolder(path);
    },
    link(from, to) {
      check("link", to);
      nodeDisk.link(from, to);
    },
    rename(from, to) {
      check("rename", to);
      nodeDisk.rename(from, to);
    },
    async syncData(file) {
      check("fdatasync", paths.get(file) ?? "");
      await nodeDisk.syncData(file);
    },
    async syncFolder(path) {
      check("fsync", path);
      await nodeDisk.syncFolder(path);
    },
  };
}

function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}
