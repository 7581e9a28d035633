import type { Disk } from "../src/disk.js";
import { nodeDisk } from "../src/node-disk.js";

/** How an operation fails: with a code of the system, or by writing only a part. */
export type Failure = "ENOSPC" | "EIO" | "EACCES" | "EMFILE" | "short";

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
      paths.delete(file);
      nodeDisk.close(file);
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
    ...checkedPaths(check),
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

/** The operations that are given nothing but paths. */
function checkedPaths(check: (operation: string, path: string) => void): PathOperations {
  return {
    truncate: (path) => (check("truncate", path), nodeDisk.truncate(path)),
    stat: (path) => (check("stat", path), nodeDisk.stat(path)),
    list: (path) => (check("scandir", path), nodeDisk.list(path)),
    makeFolder: (path) => (check("mkdir", path), nodeDisk.makeFolder(path)),
    link: (from, to) => (check("link", to), nodeDisk.link(from, to)),
    rename: (from, to) => (check("rename", to), nodeDisk.rename(from, to)),
    unlink: (path) => (check("unlink", path), nodeDisk.unlink(path)),
    removeFolder: (path) => (check("rmdir", path), nodeDisk.removeFolder(path)),
    removeTree: (path) => (check("rm", path), nodeDisk.removeTree(path)),
    fileSystemType: (path) => (check("statfs", path), nodeDisk.fileSystemType(path)),
  };
}

type PathOperations = Pick<
  Disk,
  | "truncate"
  | "stat"
  | "list"
  | "makeFolder"
  | "link"
  | "rename"
  | "unlink"
  | "removeFolder"
  | "removeTree"
  | "fileSystemType"
>;

function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}
