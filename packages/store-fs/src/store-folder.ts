import { dirname } from "node:path";
import { ResumableError } from "@resumable-mcp/core";
import { z } from "zod";
import { layoutVersion } from "./layout.js";
import { networkFileSystemName } from "./platform.js";
import type { StoreContext } from "./store-context.js";
import { createWhole, listIfExists, readFrom, touchFile } from "./whole-file.js";

const formatSchema = z.object({ layout: z.number() });

/**
 * Makes a store's folder, or checks that this version can use the one that is there.
 *
 * @throws {@link ResumableError} `STORE_LAYOUT` for a folder of another layout, which is left as it is;
 * `INVALID_OPTION` for a network file system.
 */
export function openFolder(context: StoreContext, allowNetworkFileSystem: boolean): void {
  const { disk, layout, readOnly } = context;
  if (!allowNetworkFileSystem) refuseNetwork(context);
  const names = listIfExists(disk, layout.directory);
  const format = readFrom(disk, layout.format);
  if (format !== undefined) checkFormat(context, format.toString("utf8"));
  else if (readOnly || names?.includes("tasks")) throw wrongLayout(layout.format, "none");
  if (readOnly) return;
  disk.makeFolder(layout.directory);
  if (format === undefined) writeFormat(context);
  for (const folder of foldersOf(context)) disk.makeFolder(folder);
  touchFile(disk, layout.hint);
}

function foldersOf({ layout }: StoreContext): readonly string[] {
  const { tasks, keys, open, done, workers, sessions, quarantine, trash } = layout;
  return [tasks, keys, open, done, workers, sessions, quarantine, trash];
}

function writeFormat(context: StoreContext): void {
  const { disk, layout, unique } = context;
  const text = `${JSON.stringify({ layout: layoutVersion, writtenBy: "@resumable-mcp/store-fs" }, null, 2)}\n`;
  if (createWhole(disk, layout.format, Buffer.from(text), unique())) return;
  checkFormat(context, readFrom(disk, layout.format)?.toString("utf8") ?? "");
}

function checkFormat({ layout }: StoreContext, text: string): void {
  const found = formatSchema.safeParse(parseJson(text)).data?.layout;
  if (found !== layoutVersion) throw wrongLayout(layout.format, found === undefined ? "unreadable" : String(found));
}

function wrongLayout(path: string, found: string): ResumableError {
  const supported = String(layoutVersion);
  return new ResumableError(
    "STORE_LAYOUT",
    `${path} says layout ${found}, and this version reads layout ${supported}. Nothing was changed. Use the version that wrote the folder, or another folder.`,
    { details: { path, found, supported } },
  );
}

function refuseNetwork({ disk, layout }: StoreContext): void {
  const type = disk.fileSystemType(existingFolder(disk, layout.directory));
  const name = type === undefined ? undefined : networkFileSystemName(type);
  if (name === undefined) return;
  throw new ResumableError(
    "INVALID_OPTION",
    `${layout.directory} is on a network file system (${name}), which does not keep what the store relies on. Use a local folder, or set allowNetworkFileSystem if only one machine uses it.`,
    { details: { option: "directory" } },
  );
}

function existingFolder(disk: StoreContext["disk"], path: string): string {
  const above = dirname(path);
  return disk.stat(path) !== undefined || above === path ? path : existingFolder(disk, above);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
