import { dirname } from "node:path";
import type { Disk } from "../disk/disk.js";
import { hasCode } from "../disk/disk.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { syncPath } from "../disk/whole-file.js";

/**
 * Makes the store's folder durable, once: its version file, the names in it, and its own name with those above it.
 * Nothing is acknowledged before. Another process may have made the folder a moment ago, so opening always does it.
 */
export class FolderSync {
  /** Nothing is left to do. */
  isDone: boolean;
  private running: Promise<void> | undefined;
  private readonly context: StoreContext;

  constructor(context: StoreContext) {
    this.context = context;
    this.isDone = !context.durable;
  }

  /** Resolves when the folder is durable. What failed is tried again by the next call. */
  async finish(): Promise<void> {
    if (this.isDone) return;
    this.running ??= this.sync().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  private async sync(): Promise<void> {
    const { disk, layout } = this.context;
    const above = foldersAbove(layout.directory).map((folder) => syncIfReadable(disk, folder));
    await allDone([syncPath(disk, layout.format), disk.syncFolder(layout.directory), ...above]);
    this.isDone = true;
  }
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** A folder of somebody else may be closed to this user, or on something that is only read: its names are not ours. */
async function syncIfReadable(disk: Disk, folder: string): Promise<void> {
  try {
    await disk.syncFolder(folder);
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "EINVAL", "ENOTSUP")) throw error;
  }
}
