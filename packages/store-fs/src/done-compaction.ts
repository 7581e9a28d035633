import { join } from "node:path";
import { type DoneLine, isFlagged, parseDone } from "./done-line.js";
import { fileLines } from "./file-lines.js";
import type { StoreContext } from "./store-context.js";
import { createFile, listIfExists, syncPath, unlinkIfExists } from "./whole-file.js";

/** What the lines of all files say about tasks that may have more than one. */
type Newest = Map<string, { readonly seq: number; readonly gone: boolean }>;

/** The day and the maker of a file of finished tasks, out of its name. */
export function parseDoneName(name: string): { readonly day: string; readonly instance: string } | undefined {
  const match = /^(\d{4}-\d\d-\d\d)\.([A-Za-z0-9_-]+)-[0-9a-z]+\.jsonl$/.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { day: match[1], instance: match[2] };
}

/**
 * Rewrites lists of finished tasks without the lines that do not count any more.
 *
 * A file belongs to the store that made it; those of stores that are gone are taken over by renaming them, which only
 * one can do.
 *
 * @param isMine tells whether this store may rewrite what another one made.
 */
export async function compactDone(context: StoreContext, isMine: (instance: string) => boolean): Promise<void> {
  const names = listIfExists(context.disk, context.layout.done) ?? [];
  const newest = await collect(context, names);
  if (newest.size === 0) return;
  const listed = await listedThoughGone(context, names, newest);
  for (const name of names) {
    const parsed = parseDoneName(name);
    if (parsed === undefined || !isMine(parsed.instance)) continue;
    await rewrite(context, name, parsed.day, (line) => isNeeded(line, newest, listed));
  }
}

async function collect(context: StoreContext, names: readonly string[]): Promise<Newest> {
  const newest: Newest = new Map();
  for (const name of names) {
    for await (const raw of fileLines(context.disk, join(context.layout.done, name))) {
      const line = isFlagged(raw) ? parseDone(raw) : undefined;
      if (line === undefined || (newest.get(line.birth)?.seq ?? -1) > line.seq) continue;
      newest.set(line.birth, { seq: line.seq, gone: line.gone === true || newest.get(line.birth)?.gone === true });
    }
  }
  return newest;
}

/** Tasks that are gone, and of which a line says that they finished. */
async function listedThoughGone(
  context: StoreContext,
  names: readonly string[],
  newest: Newest,
): Promise<ReadonlySet<string>> {
  const listed = new Set<string>();
  for (const name of names) {
    for await (const raw of fileLines(context.disk, join(context.layout.done, name))) {
      const line = parseDone(raw);
      if (line?.summary !== undefined && newest.get(line.birth)?.gone) listed.add(line.birth);
    }
  }
  return listed;
}

/** The line that says that a task is gone is needed as long as there is one that says it is not. */
function isNeeded(line: DoneLine, newest: Newest, listed: ReadonlySet<string>): boolean {
  const known = newest.get(line.birth);
  if (known === undefined) return true;
  if (line.gone) return listed.has(line.birth);
  return !known.gone && known.seq <= line.seq;
}

async function rewrite(
  context: StoreContext,
  name: string,
  day: string,
  keeps: (line: DoneLine) => boolean,
): Promise<void> {
  const { disk, layout, instance, unique, durable } = context;
  const path = join(layout.done, name);
  const kept: Buffer[] = [];
  let dropped = 0;
  for await (const raw of fileLines(disk, path)) {
    const line = parseDone(raw);
    if (line !== undefined && !keeps(line)) dropped += 1;
    else kept.push(Buffer.concat([raw.bytes, Buffer.from("\n")]));
  }
  if (dropped === 0) return;
  const mine = join(layout.done, `${day}.${instance}-c${shortName(unique())}.jsonl`);
  disk.rename(path, mine);
  if (kept.length === 0) {
    unlinkIfExists(disk, mine);
    return;
  }
  const draft = join(layout.done, `.draft.${unique()}`);
  createFile(disk, draft, Buffer.concat(kept));
  if (durable) await syncPath(disk, draft);
  disk.rename(draft, mine);
}

function shortName(name: string): string {
  return Buffer.from(name).toString("hex");
}
