import { join } from "node:path";
import type { RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import { hashOf } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists } from "../disk/whole-file.js";

/** The day and the maker of a file of finished tasks, out of its name. */
export function parseDoneName(name: string): { readonly day: string; readonly instance: string } | undefined {
  const match = /^(\d{4}-\d\d-\d\d)\.([A-Za-z0-9_-]+)-[0-9a-z]+(?:\.[0-9a-f]{12})?\.jsonl$/.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { day: match[1], instance: match[2] };
}

/** A name for a file of a store that is gone, which says what the file was called before. */
export function takenName(
  { instance, unique }: Pick<StoreContext, "instance" | "unique">,
  name: string,
  day: string,
): string {
  return `${day}.${instance}-c${Buffer.from(unique()).toString("hex")}.${markOf(name)}.jsonl`;
}

function markOf(name: string): string {
  return hashOf(name).slice(0, 12);
}

/**
 * Reads the lines of a file whose name was listed a moment ago, many at a time. Should another store have taken it over meanwhile, they
 * are read where they are now: each line is found once.
 */
export async function* doneLines(context: StoreContext, listed: string): AsyncGenerator<Iterable<RawLine>> {
  const { disk, layout } = context;
  for (let name: string | undefined = listed; name !== undefined; name = successorOf(context, name)) {
    const lines = fileLines(disk, join(layout.done, name));
    if (lines !== undefined) return yield* lines;
  }
}

/** A file that is gone without a successor had no line that counts. */
function successorOf({ disk, layout }: StoreContext, gone: string): string | undefined {
  const mark = `.${markOf(gone)}.jsonl`;
  return listIfExists(disk, layout.done)?.find((name) => name.endsWith(mark));
}
