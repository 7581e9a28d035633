import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { ResumableError } from "@resumable-mcp/core";
import { parseDocument } from "@resumable-mcp/documents";
import { z } from "zod";
import { DamagedFile, decodeLine, rawLines } from "../disk/checked-line.js";
import { type Disk, hasCode } from "../disk/disk.js";
import { journalFiles, layoutVersion, taskFolder } from "../disk/layout.js";
import { networkFileSystemName } from "../disk/platform.js";
import { quarantineFile, reportFinding } from "../disk/quarantine.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { createWhole, listIfExists, readFrom, unlinkIfExists } from "../disk/whole-file.js";
import { taskIds } from "../journal/task-folder.js";

/**
 * Makes a store's folder, or checks that this version can use the one that is there. Without a `format.json` an empty folder
 * becomes a store; where journals tell the layout of a store, the file is written again.
 *
 * @throws {@link ResumableError} `STORE_LAYOUT` for a folder of another layout, or of anything else, which is left as it is;
 * `STORE_MISSING` where a folder that is only read is none of a store; `INVALID_OPTION` for a network file system.
 */
export function openFolder(context: StoreContext, allowNetworkFileSystem: boolean): void {
  const { disk, layout, readOnly } = context;
  if (!allowNetworkFileSystem) refuseNetwork(context);
  refuseOddNames(context);
  const format = lookAtFormat(context);
  if (readOnly && format === "new") throw noStore(context);
  if (readOnly) return;
  disk.makeFolder(layout.directory);
  if (format === "ours") tryLink(context);
  else writeFormat(context, format);
  // Whatever is in the folder comes after: without a format.json nothing of a store is there.
  if (format === "new" && context.durable) disk.syncFolderNow(layout.directory);
}

/** A new store's first file is linked to its name; another store may have been copied to where there are no hard links. */
function tryLink({ disk, layout, unique }: StoreContext): void {
  const link = join(layout.directory, `.draft.${unique()}`);
  disk.link(layout.format, link);
  unlinkIfExists(disk, link);
}

/** A link leads out of the folder, and a pipe blocks its reader without end. */
function refuseOddNames(context: StoreContext): void {
  const { directory, format, notifications, openTasks, ...folders } = context.layout;
  const files = [format, notifications, openTasks];
  for (const path of [...files, ...Object.values(folders)]) {
    const kind = context.disk.kindOf(path);
    const wanted = files.includes(path) ? "file" : "folder";
    if (kind === undefined || kind === wanted) continue;
    const found = kind === "link" ? "a symbolic link, which a store does not follow" : `no ${wanted}`;
    const message = `${basename(path)} in the store's folder is ${found}. Nothing was changed. Put the ${wanted} itself there.`;
    throw layoutError(context, message, kind);
  }
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
  const existing = [layout.directory, ...foldersAbove(layout.directory)].find((path) => disk.stat(path) !== undefined);
  const type = existing === undefined ? undefined : disk.fileSystem(existing)?.type;
  const name = type === undefined ? undefined : networkFileSystemName(type);
  if (name === undefined) return;
  throw new ResumableError(
    "INVALID_OPTION",
    `The store's folder is on a network file system (${name}), which does not give the guarantees that the store needs. Use a local folder, or set allowNetworkFileSystem if only one machine uses it.`,
    { details: { option: "directory" } },
  );
}

interface Format {
  readonly layout: number;
  readonly writtenBy?: string | undefined;
  /** For a bit that makes one number another. */
  readonly check?: string | undefined;
}

const formatSchema: z.ZodType<Format> = z
  .looseObject({ layout: z.number(), writtenBy: z.string().optional(), check: z.string().optional() })
  .refine((format) => format.check === undefined || format.check === checkOf(format), "its checksum is wrong");

function checkOf({ layout, writtenBy }: Format): string {
  return crc32(`${layout} ${writtenBy}`).toString(16).padStart(8, "0");
}

/**
 * What a folder is to this version: a store of its layout (`ours`), one of which only `format.json` is missing or damaged,
 * or nothing yet (`new`): an empty folder, or one in which a process ended before it had written `format.json`.
 */
export type FolderFormat = "ours" | "missing" | "damaged" | "new";

/**
 * Tells what a folder is, and changes nothing.
 *
 * Where `format.json` is missing or damaged the journals tell: the first line of each says its layout. Without a journal a
 * damaged one is ours if a half of this package's name is still in it: one bit cannot change both. A process may have ended
 * when it had set that one aside.
 *
 * @throws {@link ResumableError} `STORE_LAYOUT` for a folder that this version must not touch.
 */
export function lookAtFormat(context: StoreContext): FolderFormat {
  const text = readFrom(context.disk, context.layout.format)?.toString("utf8");
  const found = parseDocument(formatSchema, text ?? "");
  if ("document" in found && found.document.layout === layoutVersion) return "ours";
  if ("document" in found) throw otherLayout(context, found.document.layout, "format.json");
  // What cannot be read stays where it is until it is known whose folder this is.
  const damaged = text;
  const names = listIfExists(context.disk, context.layout.directory) ?? [];
  const others = names.filter((name) => !isEmptyPart(context, name));
  if (others.length === 0 && damaged === undefined) return "new";
  if (others.length === 0 && /^\0*$/.test(damaged ?? "")) return "damaged";
  const state = damaged === undefined ? "has no format.json" : "has a format.json that is not that of a store";
  const journals = names.includes("tasks") ? layoutOfJournals(context) : "none";
  if (journals === layoutVersion) return damaged === undefined ? "missing" : "damaged";
  if (typeof journals === "number") throw otherLayout(context, journals, "a journal");
  if (journals === "none" && wasOurs(context, damaged)) return damaged === undefined ? "missing" : "damaged";
  const what = journals === "none" ? `holds other things (${examples(others)})` : "has no journal that can be read";
  throw unknownFolder(context, `The folder ${state}, and ${what}`);
}

function wasOurs({ disk, layout }: StoreContext, damaged: string | undefined): boolean {
  const aside = () => readFrom(disk, join(layout.quarantine, basename(layout.format)));
  return /@resumable-mcp|\/store-fs/.test(damaged ?? `${aside()}`);
}

/** What a process leaves that ended while it made a store: no data is in it. */
function isEmptyPart({ disk, layout }: StoreContext, name: string): boolean {
  if (name.startsWith(".draft.") || name === basename(layout.format)) return true;
  const path = join(layout.directory, name);
  return (
    Object.values<string>(layout).includes(path) && disk.stat(path)?.isFolder === true && disk.list(path).length === 0
  );
}

function examples(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
  return names.length > 3 ? `${shown.join(", ")}, …` : shown.join(", ") || "format.json";
}

/**
 * Writes `format.json`, exclusively. One that is damaged is kept in `quarantine/` first; what was found is reported there
 * and to the store's `onWarning`.
 */
export function writeFormat(context: StoreContext, format: FolderFormat): void {
  if (format === "ours") return;
  if (format !== "new") keepLost(context, format);
  const { disk, layout, unique, durable } = context;
  const facts = { layout: layoutVersion, writtenBy: "@resumable-mcp/store-fs" };
  const bytes = Buffer.from(`${JSON.stringify({ ...facts, check: checkOf(facts) }, null, 2)}\n`);
  if (createWhole(disk, layout.format, bytes, unique(), durable)) return;
  // Another process was faster.
  writeFormat(context, lookAtFormat(context));
}

function keepLost(context: StoreContext, was: "missing" | "damaged"): void {
  const { disk, layout } = context;
  const problem = `format.json is ${was}.`;
  disk.makeFolder(layout.quarantine);
  if (was === "damaged") quarantineFile(context, layout.format, "format.json", problem);
  else reportFinding(context, "format.json", { from: layout.format, problem });
  context.warn(`${problem} The rest of the folder has layout ${layoutVersion}, so the file was written again.`);
}

function otherLayout(context: StoreContext, found: number, where: string): ResumableError {
  const advice = "Use the version that wrote the folder, or another folder.";
  const what = `The store's ${where} says layout ${found}, and this version reads layout ${layoutVersion}.`;
  return layoutError(context, `${what} Nothing was changed. ${advice}`, String(found));
}

function unknownFolder(context: StoreContext, why: string): ResumableError {
  const advice = "Name an empty folder with --store, or restore format.json if this is a store.";
  return layoutError(
    context,
    `${why}: it is not a store of layout ${layoutVersion}. Nothing was changed. ${advice}`,
    "none",
  );
}

function layoutError({ layout }: StoreContext, message: string, found: string): ResumableError {
  const details = { path: layout.format, found, supported: String(layoutVersion) };
  return new ResumableError("STORE_LAYOUT", message, { details });
}

const headerSchema = z.object({ layout: z.number(), taskId: z.string() });

/** What the first journal that can be read says: `none` where there is no journal, `unreadable` where none can be read. */
function layoutOfJournals(context: StoreContext): number | "none" | "unreadable" {
  const { disk, layout } = context;
  let result: "none" | "unreadable" = "none";
  for (const id of taskIds(context)) {
    const folder = taskFolder(layout, id);
    for (const epoch of journalFiles.list(disk, folder)) {
      const found = layoutOf(disk, join(folder, journalFiles.nameOf(epoch)));
      if (found !== undefined) return found;
      result = "unreadable";
    }
  }
  return result;
}

function layoutOf(disk: Disk, path: string): number | undefined {
  try {
    for (const line of rawLines(readFrom(disk, path) ?? Buffer.alloc(0), 0, path)) {
      return headerSchema.safeParse(decodeLine(line, path)).data?.layout;
    }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
  }
  return undefined;
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
    const { disk, layout, syncs } = this.#context;
    const above = foldersAbove(layout.directory).map((folder) => syncIfReadable(disk, folder));
    await allDone([syncs.sync(layout.format), disk.syncFolder(layout.directory), ...above]);
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
