import fs from "node:fs";
import { makeFolder, nodeDocumentDisk } from "@resumable-mcp/documents";
import { type Disk, hasCode } from "./disk.js";
import { canSyncFolders } from "./platform.js";
import { ifThere } from "./whole-file.js";

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = fs.constants;
/** Links are not followed, and a pipe blocks no process; Windows has neither flag. */
const plainFile = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const openFlags = {
  r: O_RDONLY | plainFile,
  "r+": O_RDWR | plainFile,
  a: O_WRONLY | O_APPEND | O_CREAT | plainFile,
  wx: O_WRONLY | O_CREAT | O_EXCL | plainFile,
} as const;

/** The file system of the machine. */
export const nodeDisk: Disk = {
  ...nodeDocumentDisk,
  open: (path, flags) => fs.openSync(path, openFlags[flags], 0o600),
  link: (from, to) => fs.linkSync(from, to),
  syncDataNow: (file) => fs.fdatasyncSync(file),
  truncate: (file, length) => fs.ftruncateSync(file, length),
  stat: (path) =>
    ifThere(() => {
      // An error costs several times the call.
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      return stat && { size: stat.size, modifiedMs: stat.mtimeMs, isFolder: stat.isDirectory() };
    }),
  identify(path) {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    // Two changes may have one time; the number of links counts the folders in it.
    return stat && { id: `${stat.dev}:${stat.ino}`, state: `${stat.mtimeMs}:${stat.nlink}` };
  },
  realPath: (path) => ifThere(() => fs.realpathSync(path)) ?? path,
  kindOf(path) {
    const stat = ifThere(() => fs.lstatSync(path));
    if (stat === undefined) return undefined;
    if (stat.isSymbolicLink()) return "link";
    return stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
  },
  exists: (path) => fs.existsSync(path),
  list(folder) {
    if (fs.lstatSync(folder).isSymbolicLink()) {
      throw Object.assign(new Error(`ENOTDIR: '${folder}' is a symbolic link`), {
        code: "ENOTDIR",
        syscall: "scandir",
      });
    }
    return fs.readdirSync(folder);
  },
  makeFolder: (path) => makeFolder(path),
  removeFolder: (path) => fs.rmdirSync(path),
  removeTree: (path) => fs.rmSync(path, { recursive: true, force: true }),
  syncFolderNow(path) {
    if (!canSyncFolders) return;
    const folder = fs.openSync(path, "r");
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  },
  fileSystem(path) {
    try {
      const { type, bsize, blocks, bavail, files, ffree } = fs.statfsSync(path);
      return { type, bytes: blocks * bsize, freeBytes: bavail * bsize, files, freeFiles: ffree };
    } catch (error) {
      if (hasCode(error, "ENOSYS", "ENOENT", "ENOTSUP")) return undefined;
      throw error;
    }
  },
  watch(path, changed, failed) {
    const watcher = fs.watch(path, { persistent: false }, (_event, name) => changed(name ?? undefined));
    watcher.on("error", () => {
      watcher.close();
      failed();
    });
    return watcher;
  },
};
