import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isFinal } from "@resumable-mcp/core";
import type { RawLine } from "../disk/checked-line.js";
import { DamagedFile, isIntact } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import { quarantineCopy } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, listIfExists, syncPath, touchFile, unlinkIfExists } from "../disk/whole-file.js";
import { taskIds } from "../journal/task-folder.js";
import { newestView } from "../journal/task-view.js";
import {
  type FinishedLine,
  isFlagged,
  parseFinished,
  parseFinishedName,
  readHead,
  takenName,
  visitLines,
} from "./finished-line.js";

/** Tasks that are read in one go; then everything else gets its turn. */
const tasksPerTurn = 32;

/** What the lines of all files say about tasks that may have more than one. */
type Newest = Map<string, { readonly seq: number; readonly gone: boolean }>;

/**
 * Rewrites lists of finished tasks without the lines that do not count any more.
 *
 * A file belongs to the store that made it, which replaces it in its place; those of stores that have ended are taken over
 * by renaming them, which only one can do.
 *
 * @param isMine tells whether this store may rewrite what another one made.
 */
export async function compactFinished(context: StoreContext, isMine: (instance: string) => boolean): Promise<void> {
  const names = listIfExists(context.disk, context.layout.done) ?? [];
  const own = names.filter((name) => isMine(parseFinishedName(name)?.instance ?? ""));
  const damaged = await damagedFiles(context, own);
  if (damaged.length > 0) await restoreFinished(context, names, damaged);
  const newest: Newest = new Map();
  await visitLines(context, names, (line) => note(newest, line));
  if (newest.size === 0 && damaged.length === 0) return;
  const listed = new Set<string>();
  await visitLines(context, names, (line) => {
    const head = readHead(line);
    if (head !== undefined && newest.get(head.incarnation)?.gone) listed.add(head.incarnation);
  });
  for (const name of own) {
    const parsed = parseFinishedName(name);
    if (parsed === undefined) continue;
    const mine = parsed.instance === context.instance ? name : takenName(context, name, parsed.day);
    await rewrite(context, { name, mine }, (line) => isNeeded(line, newest, listed));
  }
}

function note(newest: Newest, raw: RawLine): void {
  const line = isFlagged(raw) ? parseFinished(raw) : undefined;
  if (line === undefined || (newest.get(line.incarnation)?.seq ?? -1) > line.seq) return;
  newest.set(line.incarnation, {
    seq: line.seq,
    gone: line.gone === true || newest.get(line.incarnation)?.gone === true,
  });
}

/** The line that says that a task was deleted is needed as long as another one says that it finished. */
function isNeeded(
  line: Pick<FinishedLine, "incarnation" | "seq" | "gone">,
  newest: Newest,
  listed: ReadonlySet<string>,
): boolean {
  const known = newest.get(line.incarnation);
  if (known === undefined) return true;
  if (line.gone) return listed.has(line.incarnation);
  return !known.gone && known.seq <= line.seq;
}

async function rewrite(
  context: StoreContext,
  { name, mine }: { readonly name: string; readonly mine: string },
  keeps: (line: Pick<FinishedLine, "incarnation" | "seq" | "gone">) => boolean,
): Promise<void> {
  const { disk, layout } = context;
  const path = join(layout.done, name);
  const kept: Buffer[] = [];
  let dropped = 0;
  for await (const lines of fileLines(disk, path) ?? []) {
    for (const raw of lines) {
      const line = readHead(raw) ?? parseFinished(raw);
      if (line === undefined || !keeps(line)) dropped += 1;
      else kept.push(Buffer.concat([raw.bytes, Buffer.from("\n")]));
    }
  }
  if (dropped === 0) return;
  if (mine !== name) await takeFinishedFile(context, name, mine);
  await replaceFinishedFile(context, mine, kept);
}

/** Durably, before the file is written again: a loss of power must not bring the old name back next to the new one. */
export async function takeFinishedFile(context: StoreContext, name: string, mine: string): Promise<void> {
  const { disk, layout, durable } = context;
  disk.rename(join(layout.done, name), join(layout.done, mine));
  if (durable) await disk.syncFolder(layout.done);
}

/** Replaces a file by one with some of its lines, or removes it where none is left. */
export async function replaceFinishedFile(
  context: StoreContext,
  name: string,
  lines: readonly Buffer[],
): Promise<void> {
  const { disk, layout, unique, durable } = context;
  const path = join(layout.done, name);
  if (lines.length === 0) unlinkIfExists(disk, path);
  else {
    const draft = join(layout.done, `.draft.${unique()}`);
    try {
      createFile(disk, draft, Buffer.concat(lines));
      if (durable) await syncPath(disk, draft);
      disk.rename(draft, path);
    } catch (error) {
      unlinkIfExists(disk, draft);
      throw error;
    }
  }
  // The line that says that a task was deleted must not go before the one that says it finished.
  if (durable) await disk.syncFolder(layout.done);
}

/** Files in which a line is not what was written there. */
async function damagedFiles(context: StoreContext, names: readonly string[]): Promise<readonly string[]> {
  const damaged = new Set<string>();
  for (const name of names) {
    await visitLines(context, [name], ({ bytes }) => {
      if (!isIntact(bytes)) damaged.add(name);
    });
  }
  return [...damaged];
}

/**
 * Finds the finished tasks of damaged lines in their own folders, and gives them a marker: the next process that lists tasks looks
 * them up and writes their lines again. The damaged files are kept in quarantine as they are.
 */
async function restoreFinished(
  context: StoreContext,
  names: readonly string[],
  damaged: readonly string[],
): Promise<void> {
  for (const name of damaged) {
    quarantineCopy(context, join(context.layout.done, name), name, "a line of the list of finished tasks is damaged");
  }
  const listed = new Set<string>();
  await visitLines(context, names, (line) => listed.add(readHead(line)?.id ?? ""));
  let looked = 0;
  for (const id of taskIds(context)) {
    if (!listed.has(id) && isFinished(context, id)) touchFile(context.disk, join(context.layout.open, id));
    if (++looked % tasksPerTurn === 0) await breathe();
  }
  // Before the damaged lines are left out: the markers are all that leads to these tasks then.
  if (context.durable) await context.disk.syncFolder(context.layout.open);
}

/** A task that cannot be read is set aside when it is asked for. */
function isFinished(context: StoreContext, taskId: string): boolean {
  try {
    const view = newestView(context, taskId);
    return view !== undefined && isFinal(view.record.status);
  } catch (error) {
    if (error instanceof DamagedFile) return false;
    throw error;
  }
}
