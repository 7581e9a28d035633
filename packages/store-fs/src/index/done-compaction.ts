import { join } from "node:path";
import type { RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, listIfExists, syncPath, unlinkIfExists } from "../disk/whole-file.js";
import { doneLines, parseDoneName, takenName } from "./done-file.js";
import { readHead } from "./done-head.js";
import { damagedDone, healDone } from "./done-healing.js";
import { type DoneLine, isFlagged, parseDone } from "./done-line.js";

/** What the lines of all files say about tasks that may have more than one. */
type Newest = Map<string, { readonly seq: number; readonly gone: boolean }>;

/**
 * Rewrites lists of finished tasks without the lines that do not count any more.
 *
 * A file belongs to the store that made it, which replaces it in its place; those of stores that are gone are taken over
 * by renaming them, which only one can do.
 *
 * @param isMine tells whether this store may rewrite what another one made.
 */
export async function compactDone(context: StoreContext, isMine: (instance: string) => boolean): Promise<void> {
  const names = listIfExists(context.disk, context.layout.done) ?? [];
  const own = names.filter((name) => isMine(parseDoneName(name)?.instance ?? ""));
  const damaged = await damagedDone(context, own);
  if (damaged.length > 0) await healDone(context, names, damaged);
  const newest = await collect(context, names);
  if (newest.size === 0 && damaged.length === 0) return;
  const listed = await listedThoughGone(context, names, newest);
  for (const name of own) {
    const parsed = parseDoneName(name);
    if (parsed === undefined) continue;
    const mine = parsed.instance === context.instance ? name : takenName(context, name, parsed.day);
    await rewrite(context, { name, mine }, (line) => isNeeded(line, newest, listed));
  }
}

async function collect(context: StoreContext, names: readonly string[]): Promise<Newest> {
  const newest: Newest = new Map();
  for (const name of names) {
    for await (const lines of doneLines(context, name)) for (const line of lines) note(newest, line);
  }
  return newest;
}

function note(newest: Newest, raw: RawLine): void {
  const line = isFlagged(raw) ? parseDone(raw) : undefined;
  if (line === undefined || (newest.get(line.birth)?.seq ?? -1) > line.seq) return;
  newest.set(line.birth, { seq: line.seq, gone: line.gone === true || newest.get(line.birth)?.gone === true });
}

/** Tasks that are gone, and of which a line says that they finished. */
async function listedThoughGone(
  context: StoreContext,
  names: readonly string[],
  newest: Newest,
): Promise<ReadonlySet<string>> {
  const listed = new Set<string>();
  for (const name of names) {
    for await (const lines of doneLines(context, name)) {
      for (const line of lines) {
        const head = readHead(line);
        if (head !== undefined && newest.get(head.birth)?.gone) listed.add(head.birth);
      }
    }
  }
  return listed;
}

/** The line that says that a task is gone is needed as long as there is one that says it is not. */
function isNeeded(
  line: Pick<DoneLine, "birth" | "seq" | "gone">,
  newest: Newest,
  listed: ReadonlySet<string>,
): boolean {
  const known = newest.get(line.birth);
  if (known === undefined) return true;
  if (line.gone) return listed.has(line.birth);
  return !known.gone && known.seq <= line.seq;
}

async function rewrite(
  context: StoreContext,
  { name, mine }: { readonly name: string; readonly mine: string },
  keeps: (line: Pick<DoneLine, "birth" | "seq" | "gone">) => boolean,
): Promise<void> {
  const { disk, layout } = context;
  const path = join(layout.done, name);
  const kept: Buffer[] = [];
  let dropped = 0;
  for await (const lines of fileLines(disk, path) ?? []) {
    for (const raw of lines) {
      const line = readHead(raw) ?? parseDone(raw);
      if (line === undefined || !keeps(line)) dropped += 1;
      else kept.push(Buffer.concat([raw.bytes, Buffer.from("\n")]));
    }
  }
  if (dropped === 0) return;
  if (mine !== name) await takeOver(context, path, join(layout.done, mine));
  if (kept.length === 0) unlinkIfExists(disk, join(layout.done, mine));
  else await replace(context, join(layout.done, mine), Buffer.concat(kept));
  // The line that says that a task is gone must not go before the one that says it finished.
  if (context.durable) await disk.syncFolder(layout.done);
}

/** Durably, before the file is written anew: a loss of power must not bring the old name back beside the new one. */
async function takeOver({ disk, layout, durable }: StoreContext, path: string, mine: string): Promise<void> {
  disk.rename(path, mine);
  if (durable) await disk.syncFolder(layout.done);
}

async function replace({ disk, layout, unique, durable }: StoreContext, path: string, bytes: Buffer): Promise<void> {
  const draft = join(layout.done, `.draft.${unique()}`);
  try {
    createFile(disk, draft, bytes);
    if (durable) await syncPath(disk, draft);
    disk.rename(draft, path);
  } catch (error) {
    unlinkIfExists(disk, draft);
    throw error;
  }
}
