import { dirname, join } from "node:path";
import type { Disk } from "../disk/disk.js";

/** One thing that happened to a disk, in the order in which it happened. A file is named by the opening it was reached by. */
export type DiskEvent =
  | { readonly kind: "opened"; readonly opening: number; readonly path: string }
  | { readonly kind: "wrote"; readonly opening: number; readonly position: number | null; readonly bytes: Buffer }
  | { readonly kind: "truncated"; readonly opening: number; readonly length: number }
  | { readonly kind: "made_folder" | "unlinked" | "removed_folder"; readonly path: string }
  | { readonly kind: "linked" | "renamed"; readonly from: string; readonly to: string }
  | { readonly kind: "sync_began"; readonly sync: number; readonly of: Synced }
  | { readonly kind: "sync_ended"; readonly sync: number }
  | { readonly kind: "sync_lost"; readonly sync: number };

type Synced = { readonly opening: number } | { readonly folder: string };

/**
 * A sync that failed, after which the system takes the pages for written: no later sync writes them, and all later syncs
 * succeed. Only what is written once more is synced again.
 *
 * Source: Rebello et al., "Can Applications Recover from fsync Failures?" (USENIX ATC 2020), section 3.
 */
export class SyncLost extends Error {
  readonly code = "EIO";
  readonly syscall = "fdatasync";
}

/** A disk, and what has happened to it so far. */
export interface Recording {
  readonly disk: Disk;
  readonly events: readonly DiskEvent[];
}

/**
 * Wraps a disk, and notes every change and every sync: out of that {@link crashImage} makes what a loss of power could
 * have left. Only what succeeds is noted. A tree is removed, and folders above one are made, one name at a time.
 */
export function recordDisk(inner: Disk): Recording {
  const events: DiskEvent[] = [];
  const disk: Disk = {
    read: (file, into, position) => inner.read(file, into, position),
    stat: (path) => inner.stat(path),
    identify: (path) => inner.identify(path),
    realPath: (path) => inner.realPath(path),
    kindOf: (path) => inner.kindOf(path),
    exists: (path) => inner.exists(path),
    list: (folder) => inner.list(folder),
    fileSystem: (path) => inner.fileSystem(path),
    watch: (path, changed, failed) => inner.watch(path, changed, failed),
    ...recordedFiles(inner, events),
    ...recordedNames(inner, events),
  };
  return { disk, events };
}

type FileOperations = Pick<Disk, "open" | "close" | "write" | "truncate" | "syncData" | "syncDataNow">;

function recordedFiles(inner: Disk, events: DiskEvent[]): FileOperations {
  const openings = new Map<number, number>();
  let opened = 0;
  const openingOf = (file: number) => openings.get(file) ?? 0;
  return {
    open(path, flags) {
      const file = inner.open(path, flags);
      opened += 1;
      openings.set(file, opened);
      events.push({ kind: "opened", opening: opened, path });
      return file;
    },
    close(file) {
      openings.delete(file);
      inner.close(file);
    },
    write(file, bytes, position) {
      const count = inner.write(file, bytes, position);
      events.push({ kind: "wrote", opening: openingOf(file), position, bytes: Buffer.from(bytes.subarray(0, count)) });
      return count;
    },
    truncate(file, length) {
      inner.truncate(file, length);
      events.push({ kind: "truncated", opening: openingOf(file), length });
    },
    syncData: (file) => noteSync(events, { opening: openingOf(file) }, () => inner.syncData(file)),
    syncDataNow: (file) => noteSync(events, { opening: openingOf(file) }, () => inner.syncDataNow(file)),
  };
}

type NameOperations = Pick<
  Disk,
  "makeFolder" | "link" | "rename" | "unlink" | "removeFolder" | "removeTree" | "syncFolder" | "syncFolderNow"
>;

function recordedNames(inner: Disk, events: DiskEvent[]): NameOperations {
  const disk: NameOperations = {
    makeFolder(path) {
      if (inner.exists(path)) return inner.makeFolder(path);
      if (dirname(path) !== path) disk.makeFolder(dirname(path));
      inner.makeFolder(path);
      events.push({ kind: "made_folder", path });
    },
    link(from, to) {
      inner.link(from, to);
      events.push({ kind: "linked", from, to });
    },
    rename(from, to) {
      inner.rename(from, to);
      events.push({ kind: "renamed", from, to });
    },
    unlink(path) {
      inner.unlink(path);
      events.push({ kind: "unlinked", path });
    },
    removeFolder(path) {
      inner.removeFolder(path);
      events.push({ kind: "removed_folder", path });
    },
    removeTree(path) {
      const stat = inner.stat(path);
      if (stat === undefined) return;
      if (!stat.isFolder) return disk.unlink(path);
      for (const name of inner.list(path)) disk.removeTree(join(path, name));
      disk.removeFolder(path);
    },
    syncFolder: (folder) => noteSync(events, { folder }, () => inner.syncFolder(folder)),
    syncFolderNow: (folder) => noteSync(events, { folder }, () => inner.syncFolderNow(folder)),
  };
  return disk;
}

/** Notes that a sync begins, and that it ended well, or lost what it covers. */
function noteSync<Result extends void | Promise<void>>(events: DiskEvent[], of: Synced, run: () => Result): Result {
  const sync = events.length;
  events.push({ kind: "sync_began", sync, of });
  const end = () => void events.push({ kind: "sync_ended", sync });
  const fail = (error: unknown) => void (error instanceof SyncLost && events.push({ kind: "sync_lost", sync }));
  try {
    const running = run();
    if (running instanceof Promise) running.then(end, fail);
    else end();
    return running;
  } catch (error) {
    fail(error);
    throw error;
  }
}
