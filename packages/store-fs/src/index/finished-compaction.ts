import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isFinal } from "@resumable-mcp/core";
import { isIntact, type RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import { quarantineCopy } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, replaceWhole, touchFile, unlinkIfExists } from "../disk/whole-file.js";
import { taskIds } from "../journal/task-folder.js";
import { readableView } from "../journal/task-view.js";
import {
  parseFinished,
  parseFinishedName,
  parseFlagged,
  readHead,
  type Superseding,
  supersede,
  takenName,
  visitLines,
} from "./finished-line.js";

/** Tasks that are read in one go; then everything else gets its turn. */
const tasksPerTurn = 32;

/**
 * Rewrites lists of finished tasks without the lines that do not count any more.
 *
 * @param isMine tells whether this store may rewrite what another one made.
 */
export async function compactFinished(context: StoreContext, isMine: (instance: string) => boolean): Promise<void> {
  const names = listIfExists(context.disk, context.layout.done) ?? [];
  const own = names.filter((name) => isMine(parseFinishedName(name)?.instance ?? ""));
  const damaged = await damagedFiles(context, own);
  if (damaged.length > 0) await restoreFinished(context, names, damaged);
  const newest = new Map<string, Superseding>();
  await visitLines(context, names, (line) => supersede(newest, parseFlagged(line)));
  if (newest.size === 0 && damaged.length === 0) return;
  const listed = new Set<string>();
  await visitLines(context, names, (line) => {
    const head = readHead(line);
    if (head !== undefined && newest.get(head.incarnation)?.gone) listed.add(head.incarnation);
  });
  const isNeeded = (raw: RawLine) => {
    const line = readHead(raw) ?? parseFinished(raw);
    const known = line && newest.get(line.incarnation);
    if (line === undefined || known === undefined) return line !== undefined;
    // The line that says that a task was deleted is needed as long as another one says that it finished.
    if ("gone" in line && line.gone) return listed.has(line.incarnation);
    return !known.gone && known.seq <= line.seq;
  };
  for (const name of own) await rewriteFinished(context, name, isNeeded);
}

/**
 * Writes a file again without some of its lines, or removes it where none is left.
 *
 * A file belongs to the store that made it, which replaces it in its place; those of stores that have ended are taken over
 * by renaming them, which only one can do.
 */
export async function rewriteFinished(
  context: StoreContext,
  name: string,
  isNeeded: (line: RawLine) => boolean,
): Promise<void> {
  const { disk, layout, durable, instance, unique } = context;
  const kept: Buffer[] = [];
  let dropped = 0;
  for await (const lines of fileLines(disk, join(layout.done, name)) ?? []) {
    for (const line of lines) {
      if (isNeeded(line)) kept.push(Buffer.concat([line.bytes, Buffer.from("\n")]));
      else dropped += 1;
    }
  }
  const maker = parseFinishedName(name);
  if (dropped === 0 || maker === undefined) return;
  let path = join(layout.done, name);
  if (maker.instance !== instance) {
    path = join(layout.done, takenName(context, name, maker.day));
    disk.rename(join(layout.done, name), path);
    // Before the file is written again: a loss of power must not bring the old name back next to the new one.
    if (durable) await disk.syncFolder(layout.done);
  }
  if (kept.length === 0) unlinkIfExists(disk, path);
  else replaceWhole(disk, path, Buffer.concat(kept), unique(), durable);
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
    const view = listed.has(id) ? undefined : readableView(context, id);
    if (view !== undefined && isFinal(view.record.status)) touchFile(context.disk, join(context.layout.open, id));
    if (++looked % tasksPerTurn === 0) await breathe();
  }
  // Before the damaged lines are left out: the markers are all that leads to these tasks then.
  if (context.durable) await context.disk.syncFolder(context.layout.open);
}
