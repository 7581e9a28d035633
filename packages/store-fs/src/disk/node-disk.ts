import fs from "node:fs";
import { promisify } from "node:util";
import { type Disk, hasCode } from "./disk.js";
import { canSyncFolders } from "./platform.js";
import { ifThere } from "./whole-file.js";

const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
const openFile = promisify(fs.open);
const closeFile = promisify(fs.close);

/** The file system of the machine. */
export const nodeDisk: Disk = {
  open: (path, flags) => fs.openSync(path, flags),
  close: (file) => fs.closeSync(file),
  read: (file, into, position) => fs.readSync(file, into, 0, into.byteLength, position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.byteLength, position),
  truncate: (file, length) => fs.ftruncateSync(file, length),
  stat: (path) =>
    ifThere(() => {
      const stat = fs.statSync(path);
      return { size: stat.size, modifiedMs: stat.mtimeMs, isFolder: stat.isDirectory() };
    }),
  identify(path) {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    // Two changes may have one time; the number of links counts the folders in it.
    return stat && { id: `${stat.dev}:${stat.ino}`, state: `${stat.mtimeMs}:${stat.nlink}` };
  },
  exists: (path) => fs.existsSync(path),
  list: (folder) => fs.readdirSync(folder),
  makeFolder: (path) => void fs.mkdirSync(path, { recursive: true, mode: 0o700 }),
  link: (from, to) => fs.linkSync(from, to),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  removeFolder: (path) => fs.rmdirSync(path),
  removeTree: (path) => fs.rmSync(path, { recursive: true, force: true }),
  syncData: (file) => fdatasync(file),
  syncDataNow: (file) => fs.fdatasyncSync(file),
  async syncFolder(path) {
    if (!canSyncFolders) return;
    const folder = await openFile(path, "r");
    try {
      await fsync(folder);
    } finally {
      await closeFile(folder);
    }
  },
  syncFolderNow(path) {
    if (!canSyncFolders) return;
    const folder = fs.openSync(path, "r");
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  },
  fileSystemType(path) {
    try {
      return fs.statfsSync(path).type;
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
