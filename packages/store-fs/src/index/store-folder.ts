import { dirname } from "node:path";
import { ResumableError } from "@resumable-mcp/core";
import type { Disk } from "../disk/disk.js";
import { hasCode } from "../disk/disk.js";
import { networkFileSystemName } from "../disk/platform.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { syncPath } from "../disk/whole-file.js";
import { lookAtFormat, writeFormat } from "./format-file.js";

/**
 * Makes a store's folder, or checks that this version can use the one that is there. A `format.json` that is missing or
 * damaged is written again where the journals tell the layout.
 *
 * @throws {@link ResumableError} `STORE_LAYOUT` for a folder of another layout, which is left as it is; `STORE_MISSING`
 * where a folder that is only read is none of a store; `INVALID_OPTION` for a network file system.
 */
export function openFolder(context: StoreContext, allowNetworkFileSystem: boolean): void {
  const { disk, layout, readOnly } = context;
  if (!allowNetworkFileSystem) refuseNetwork(context);
  const format = lookAtFormat(context);
  if (readOnly && format.kind === "new") throw noStore(context);
  if (readOnly) return;
  disk.makeFolder(layout.directory);
  writeFormat(context, format);
}

function noStore({ disk, layout }: StoreContext): ResumableError {
  const { directory } = layout;
  const what = disk.exists(directory)
    ? `${directory} holds no store: it has neither format.json nor tasks/.`
    : `There is no folder ${directory}.`;
  return new ResumableError("STORE_MISSING", `${what} Name the store's folder with --store.`, {
    details: { path: directory, reason: "there is no store" },
  });
}

function refuseNetwork({ disk, layout }: StoreContext): void {
  const type = disk.fileSystemType(existingFolder(disk, layout.directory));
  const name = type === undefined ? undefined : networkFileSystemName(type);
  if (name === undefined) return;
  throw new ResumableError(
    "INVALID_OPTION",
    `The store's folder is on a network file system (${name}), which does not keep what the store relies on. Use a local folder, or set allowNetworkFileSystem if only one machine uses it.`,
    { details: { option: "directory" } },
  );
}

function existingFolder(disk: StoreContext["disk"], path: string): string {
  const above = dirname(path);
  return disk.stat(path) !== undefined || above === path ? path : existingFolder(disk, above);
}

/**
 * Makes the store's folder durable, once: its version file, the names in it, and its own name with those above it.
 * Nothing is acknowledged before. Another process may have made the folder a moment ago, so opening always does it.
 */
export class FolderSync {
  /** Nothing is left to do. */
  isDone: boolean;
  #running: Promise<void> | undefined;
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
    this.isDone = !context.durable;
  }

  /** Resolves when the folder is durable. What failed is tried again by the next call. */
  async finish(): Promise<void> {
    if (this.isDone) return;
    this.#running ??= this.#sync().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #sync(): Promise<void> {
    const { disk, layout } = this.#context;
    const above = foldersAbove(layout.directory).map((folder) => syncIfReadable(disk, folder));
    await allDone([syncPath(disk, layout.format), disk.syncFolder(layout.directory), ...above]);
    this.isDone = true;
  }
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** A folder of another user may be closed to this one, or on something that is only read: its names are not ours. */
async function syncIfReadable(disk: Disk, folder: string): Promise<void> {
  try {
    await disk.syncFolder(folder);
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "EINVAL", "ENOTSUP")) throw error;
  }
}
