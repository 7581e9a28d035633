import { join } from "node:path";
import type { Json } from "@resumable-mcp/core";
import type { TaskEvent } from "@resumable-mcp/core/store";
import { DamagedFile, type RawLine, rawLines } from "../disk/checked-line.js";
import { LineChunks } from "../disk/file-lines.js";
import { journalName } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { openIfExists } from "../disk/whole-file.js";
import { type ChainEntry, type JournalCommit, parseCommit, peekSeq } from "./journal-line.js";

/** A commit as it was read, and where in the file its line begins and ends. */
export interface JournalLine {
  readonly commit: JournalCommit;
  readonly start: number;
  readonly next: number;
}

/**
 * The commits of one journal file that reach beyond a seq, as far as the file counts.
 *
 * @param from where in the file to begin: at a line, none before which is wanted.
 */
export function* journalLines(
  context: StoreContext,
  path: string,
  entry: Pick<ChainEntry, "bytes">,
  { afterSeq, from = 0 }: { readonly afterSeq: number; readonly from?: number },
): Generator<JournalLine> {
  let before: RawLine | undefined;
  let reached = false;
  for (const line of linesBetween(context, path, from, entry.bytes)) {
    // The first line of a file is not a commit.
    if (line.start === 0) continue;
    if (!reached) {
      const first = peekSeq(line) ?? 0;
      reached = first > afterSeq;
      // A commit begins where its line says and ends before the next one begins.
      if (reached && before !== undefined && first > afterSeq + 1) yield parsed(before, path);
      before = { ...line, bytes: Buffer.from(line.bytes) };
    }
    if (reached) yield parsed(line, path);
  }
  if (reached || before === undefined) return;
  const last = parsed(before, path);
  if ((last.commit.events.at(-1)?.seq ?? 0) > afterSeq) yield last;
}

function parsed(line: RawLine, path: string): JournalLine {
  return { commit: parseCommit(line, path), start: line.start, next: line.next };
}

/** The lines of a part of a file all of which has to be there, read a chunk at a time. */
function* linesBetween({ disk }: StoreContext, path: string, from: number, end: number): Generator<RawLine> {
  const file = openIfExists(disk, path);
  if (file === undefined) throw new DamagedFile(path, 0, "the file is missing");
  const chunks = new LineChunks(disk, file, { from, end });
  try {
    for (let chunk = chunks.next(); chunk !== undefined; chunk = chunks.next()) {
      yield* rawLines(chunk.bytes, chunk.start, path);
    }
    if (chunks.position < end) throw new DamagedFile(path, chunks.position, "a line is cut short, or missing");
  } finally {
    chunks.close();
    disk.close(file);
  }
}

/** A checkpoint that appended items. */
type ItemEvent = Extract<TaskEvent, { type: "checkpoint" }> & { readonly items: readonly Json[] };

/** The checkpoints of a file that appended items of a generation, with the index of their first item. */
export function* itemEvents(
  context: StoreContext,
  folder: string,
  entry: ChainEntry,
  itemsFrom: number,
): Generator<{ readonly event: ItemEvent; readonly index: number }> {
  let count = entry.items;
  let from = entry.itemsFrom;
  for (const { commit } of journalLines(context, join(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
    for (const event of commit.events) {
      if (event.type === "restarted" && !event.fromState) [count, from] = [0, event.seq];
      if (event.type !== "checkpoint" || event.items === undefined || event.items.length === 0) continue;
      if (from === itemsFrom) yield { event: { ...event, items: event.items }, index: count };
      count += event.items.length;
    }
  }
}
