import { dirname } from "node:path";
import { ResumableError } from "@resumable-mcp/core";
import { networkFileSystemName } from "../disk/platform.js";
import type { StoreContext } from "../disk/store-context.js";
import { lookAtFormat, writeFormat } from "./format-file.js";

/**
 * Makes a store's folder, or checks that this version can use the one that is there. A `format.json` that is missing or
 * damaged is written anew where the journals tell the layout.
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
