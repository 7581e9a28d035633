import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";

/** How an operation fails: with a code of the system, or by writing only a part. */
export type Failure = "ENOSPC" | "EIO" | "EACCES" | "EPERM" | "EMFILE" | "short";

/** Decides of each operation whether it fails, and how. */
export type Verdict = (operation: string, path: string) => Failure | undefined;

/** Operations that change nothing on the disk. */
const looking = new Set(["open for reading", "read", "stat", "scandir", "statfs"]);

/** Tells whether an operation of a {@link failingDisk} may change what is on the disk. */
export function isChange(operation: string): boolean {
  return !looking.has(operation);
}

/** The machine's disk, some of whose operations fail. */
export function failingDisk(verdict: Verdict): Disk & { readonly openFiles: () => readonly string[] } {
  const paths = new Map<number, string>();
  const check = (operation: string, path: string) => {
    const code = verdict(operation, path);
    if (code === undefined) return;
    const [syscall = operation] = operation.split(" ");
    throw systemError(code === "short" ? "ENOSPC" : code, syscall, path);
  };
  return {
    ...nodeDisk,
    openFiles: () => [...paths.values()],
    open(path, flags) {
      check(flags === "r" ? "open for reading" : "open", path);
      const file = nodeDisk.open(path, flags);
      paths.set(file, path);
      return file;
    },
    close(file) {
      const path = paths.get(file) ?? "";
      paths.delete(file);
      // As the system does: a close that fails has closed the file.
      nodeDisk.close(file);
      check("close", path);
    },
    read(file, into, position) {
      check("read", paths.get(file) ?? "");
      return nodeDisk.read(file, into, position);
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
    truncate(file, length) {
      check("truncate", paths.get(file) ?? "");
      nodeDisk.truncate(file, length);
    },
    ...checkedPaths(check),
    async syncData(file) {
      check("fdatasync", paths.get(file) ?? "");
      await nodeDisk.syncData(file);
    },
    syncDataNow(file) {
      check("fdatasync", paths.get(file) ?? "");
      nodeDisk.syncDataNow(file);
    },
    async syncFolder(path) {
      check("fsync", path);
      await nodeDisk.syncFolder(path);
    },
    syncFolderNow(path) {
      check("fsync", path);
      nodeDisk.syncFolderNow(path);
    },
  };
}

/** The operations that are given nothing but paths. */
function checkedPaths(check: (operation: string, path: string) => void): PathOperations {
  const on =
    <Result>(operation: string, run: (path: string) => Result) =>
    (path: string): Result => {
      check(operation, path);
      return run(path);
    };
  const between = (operation: string, run: (from: string, to: string) => void) => (from: string, to: string) => {
    check(operation, to);
    run(from, to);
  };
  return {
    stat: on("stat", nodeDisk.stat),
    list: on("scandir", nodeDisk.list),
    makeFolder: on("mkdir", nodeDisk.makeFolder),
    link: between("link", nodeDisk.link),
    rename: between("rename", nodeDisk.rename),
    unlink: on("unlink", nodeDisk.unlink),
    removeFolder: on("rmdir", nodeDisk.removeFolder),
    removeTree: on("rm", nodeDisk.removeTree),
    fileSystem: on("statfs", nodeDisk.fileSystem),
  };
}

type PathOperations = Pick<
  Disk,
  "stat" | "list" | "makeFolder" | "link" | "rename" | "unlink" | "removeFolder" | "removeTree" | "fileSystem"
>;

function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}
