import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isFinal } from "@resumable-mcp/core";
import type { RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import { quarantineCopy } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { renameIfExists, replaceWhole, touchFile, unlinkIfExists } from "../disk/whole-file.js";
import { taskIds } from "../journal/task-folder.js";
import { readableView } from "../journal/task-view.js";
import { parseFinishedName } from "./finished-line.js";
import type { FinishedTable } from "./finished-table.js";

/** Tasks that are read in one go; then everything else gets its turn. */
const tasksPerTurn = 32;

/**
 * Rewrites lists of finished tasks without the lines that do not count any more.
 *
 * @param isMine tells whether this store may rewrite what another one made.
 */
export async function compactFinished(
  context: StoreContext,
  table: FinishedTable,
  isMine: (instance: string) => boolean,
): Promise<void> {
  const own = [...table.files].filter(([name]) => {
    const maker = parseFinishedName(name)?.instance;
    return maker !== undefined && isMine(maker);
  });
  const damaged = own.filter(([, { isDamaged }]) => isDamaged).map(([name]) => name);
  if (damaged.length > 0) await restoreFinished(context, table, damaged);
  const needed = table.neededLines();
  for (const [name, { lines }] of own) {
    const starts = needed.get(name) ?? new Set();
    if (starts.size < lines) await rewriteFinished(context, name, ({ start }) => starts.has(start));
  }
}

/**
 * Writes a file again without some of its lines, or removes it where none is left.
 *
 * A file belongs to the store that made it, which replaces it in its place: a copy of the folder under way has its name. Those
 * of stores that have ended are taken over by renaming them, which only one can do.
 */
export async function rewriteFinished(
  context: StoreContext,
  name: string,
  isNeeded: (line: RawLine) => boolean,
): Promise<void> {
  const { disk, layout, durable, instance, unique } = context;
  const maker = parseFinishedName(name);
  let path = join(layout.done, name);
  if (maker?.instance !== instance) {
    const part = Buffer.from(unique()).toString("hex");
    path = join(layout.done, `${maker?.day}.${instance}-c${part}.jsonl`);
    if (!renameIfExists(disk, join(layout.done, name), path)) return;
    // Before the file is written again: a loss of power must not bring the old name back next to the new one.
    if (durable) await disk.syncFolder(layout.done);
  }
  const kept: Buffer[] = [];
  for await (const lines of fileLines(disk, path) ?? []) {
    for (const line of lines) if (isNeeded(line)) kept.push(Buffer.concat([line.bytes, Buffer.from("\n")]));
  }
  if (kept.length === 0) unlinkIfExists(disk, path);
  else replaceWhole(disk, path, Buffer.concat(kept), unique(), durable);
  // The line that says that a task was deleted must not go before the one that says it finished.
  if (durable) await disk.syncFolder(layout.done);
}

/**
 * Finds the finished tasks of damaged lines in their own folders, and gives them a marker: the next process that lists tasks looks
 * them up and writes their lines again. The damaged files are kept in quarantine as they are.
 */
async function restoreFinished(context: StoreContext, table: FinishedTable, damaged: readonly string[]): Promise<void> {
  for (const name of damaged) {
    quarantineCopy(context, join(context.layout.done, name), name, "a line of the list of finished tasks is damaged");
  }
  const listed = table.ids();
  let looked = 0;
  for (const id of taskIds(context)) {
    const view = listed.has(id) ? undefined : readableView(context, id);
    if (view !== undefined && isFinal(view.record.status)) touchFile(context.disk, join(context.layout.open, id));
    if (++looked % tasksPerTurn === 0) await breathe();
  }
  // Before the damaged lines are left out: the markers are all that leads to these tasks then.
  if (context.durable) await context.disk.syncFolder(context.layout.open);
}
