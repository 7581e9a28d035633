import { join } from "node:path";
import { ResumableError } from "@resumable-mcp/core";
import { FirstDocumentFile, type FirstDocumentOptions, writeFirstDocument } from "@resumable-mcp/documents";
import { z } from "zod";
import { DamagedFile, decodeLine, type RawLine, rawLines } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { LineChunks } from "../disk/file-lines.js";
import { journalFiles, layoutVersion, taskFolder } from "../disk/layout.js";
import { quarantineFile, reportFinding } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, openIfExists } from "../disk/whole-file.js";
import { taskIds } from "../journal/task-folder.js";

const formatSchema = z.looseObject({ layout: z.number() });

/** What a folder's `format.json` says. */
type Format =
  | { readonly kind: "missing" }
  | { readonly kind: "known"; readonly layout: number }
  | { readonly kind: "damaged"; readonly isEmpty: boolean };

/** What a folder is to this version: a store of its layout, one that only lost its `format.json`, or nothing yet. */
export type FolderFormat =
  | { readonly kind: "ours" | "new" }
  | { readonly kind: "lost"; readonly was: "missing" | "damaged" };

/**
 * Tells what a folder is, and changes nothing.
 *
 * Where `format.json` is missing or damaged the journals tell: the first line of each says its layout.
 *
 * @throws {@link ResumableError} `STORE_LAYOUT` for a folder that this version must not touch.
 */
export function lookAtFormat(context: StoreContext): FolderFormat {
  const format = readFormat(context);
  if (format.kind === "known") {
    if (format.layout === layoutVersion) return { kind: "ours" };
    throw otherLayout(context, format.layout, "format.json");
  }
  const names = listIfExists(context.disk, context.layout.directory) ?? [];
  if (names.includes("tasks")) return judgeJournals(context, format.kind, names);
  if (format.kind === "missing") return { kind: "new" };
  if (format.isEmpty && isAllOurs(context, names)) return { kind: "lost", was: "damaged" };
  throw unknownFolder(context, "format.json is not one of a store, and there is no folder tasks/");
}

function readFormat(context: StoreContext): Format {
  let isEmpty: boolean | undefined;
  const file = new FirstDocumentFile({
    ...formatOptions(context),
    onDamage: ({ text }) => {
      isEmpty = /^\0*$/.test(text);
    },
  });
  const document = file.read();
  if (document !== null) return { kind: "known", layout: document.layout };
  return isEmpty === undefined ? { kind: "missing" } : { kind: "damaged", isEmpty };
}

/** What cannot be read stays where it is until it is known whose folder this is. */
function formatOptions({ disk, layout, unique, durable }: StoreContext): FirstDocumentOptions<{ layout: number }> {
  const sync = durable ? "content" : "none";
  return { path: layout.format, schema: formatSchema, disk, createName: unique, sync, onDamage: () => {} };
}

function judgeJournals(context: StoreContext, was: "missing" | "damaged", names: readonly string[]): FolderFormat {
  const journals: JournalsLayout = layoutOfJournals(context);
  if (journals === layoutVersion || (journals === "none" && isAllOurs(context, names))) return { kind: "lost", was };
  if (typeof journals === "number") throw otherLayout(context, journals, "a journal");
  if (journals === "none") {
    throw unknownFolder(context, "The folder has a folder tasks/ and no format.json of a store, nor any journal");
  }
  const state = was === "missing" ? "is missing" : "cannot be read";
  throw unknownFolder(context, `format.json ${state}, nor can any journal be read`);
}

/** A folder with nothing but the names of a store, and drafts of them. */
function isAllOurs({ layout }: StoreContext, names: readonly string[]): boolean {
  const ours = new Set(Object.values(layout).map((path) => path.slice(layout.directory.length + 1)));
  return names.every((name) => ours.has(name) || name.startsWith(".draft."));
}

/**
 * Writes `format.json`, exclusively. One that is damaged is kept in `quarantine/` first; what was found is reported there
 * and to the store's `onWarning`.
 */
export function writeFormat(context: StoreContext, format: FolderFormat): void {
  if (format.kind === "ours") return;
  if (format.kind === "lost") keepLost(context, format.was);
  const document = { layout: layoutVersion, writtenBy: "@resumable-mcp/store-fs" };
  if (writeFirstDocument(formatOptions(context), document)) return;
  // Another process was faster.
  writeFormat(context, lookAtFormat(context));
}

function keepLost(context: StoreContext, was: "missing" | "damaged"): void {
  const { disk, layout } = context;
  const problem = lostFormat(was);
  disk.makeFolder(layout.quarantine);
  try {
    if (was === "damaged") quarantineFile(context, layout.format, "format.json", problem);
    else reportFinding(context, "format.json", { from: layout.format, problem });
  } catch (error) {
    // Another process was faster.
    if (!hasCode(error, "ENOENT")) throw error;
  }
  context.warn(`${problem} The rest of the folder is of layout ${layoutVersion}: the file was written again.`);
}

/** What is wrong with a `format.json` that the journals stand in for. */
export function lostFormat(was: "missing" | "damaged"): string {
  return was === "missing" ? "format.json is missing." : "format.json is damaged.";
}

function otherLayout({ layout }: StoreContext, found: number, where: string): ResumableError {
  const supported = String(layoutVersion);
  return new ResumableError(
    "STORE_LAYOUT",
    `The store's ${where} says layout ${found}, and this version reads layout ${supported}. Nothing was changed. Use the version that wrote the folder, or another folder.`,
    { details: { path: layout.format, found: String(found), supported } },
  );
}

function unknownFolder({ layout }: StoreContext, why: string): ResumableError {
  const supported = String(layoutVersion);
  return new ResumableError(
    "STORE_LAYOUT",
    `${why}: nothing says that this is a store of layout ${supported}. Nothing was changed. Use another folder, or restore format.json if this is a store.`,
    { details: { path: layout.format, found: "none", supported } },
  );
}

/** What the journals of a folder say of its layout: `none` where there is no journal, `unreadable` where none can be read. */
export type JournalsLayout = number | "none" | "unreadable";

const headerSchema = z.object({ layout: z.number(), taskId: z.string() });

/** Reads journals until the first line of one tells the layout. */
export function layoutOfJournals(context: StoreContext): JournalsLayout {
  let result: JournalsLayout = "none";
  for (const path of journalsIn(context)) {
    const layout = layoutOf(context, path);
    if (layout !== undefined) return layout;
    result = "unreadable";
  }
  return result;
}

function* journalsIn(context: StoreContext): Generator<string> {
  const { disk, layout } = context;
  for (const id of taskIds(context)) {
    const folder = taskFolder(layout, id);
    for (const epoch of journalFiles.list(disk, folder)) yield join(folder, journalFiles.nameOf(epoch));
  }
}

function layoutOf({ disk }: StoreContext, path: string): number | undefined {
  const file = openIfExists(disk, path);
  if (file === undefined) return undefined;
  const chunks = new LineChunks(disk, file, {});
  try {
    const chunk = chunks.next();
    const line = chunk === undefined ? undefined : firstLine(chunk.bytes, path);
    return line === undefined ? undefined : headerSchema.safeParse(decodeLine(line, path)).data?.layout;
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  } finally {
    chunks.close();
    disk.close(file);
  }
}

function firstLine(bytes: Buffer, path: string): RawLine | undefined {
  for (const line of rawLines(bytes, 0, path)) return line;
  return undefined;
}
