import { DamagedFile, type RawLine, rawLines } from "./checked-line.js";
import { type ChainEntry, type JournalCommit, parseCommit, peekSeq } from "./journal-line.js";
import type { StoreContext } from "./store-context.js";
import { openIfExists, readRange } from "./whole-file.js";

const chunkBytes = 256 * 1024;
const newline = 10;

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
    // A commit begins where its line says and ends before the next one begins.
    reached ||= before !== undefined && (peekSeq(line) ?? 0) > afterSeq + 1;
    if (before !== undefined && reached) yield parsed(before, path);
    // The first line of a file is no commit.
    before = line.start === 0 ? undefined : line;
  }
  const last = before && parsed(before, path);
  if (last !== undefined && (last.commit.events.at(-1)?.seq ?? 0) > afterSeq) yield last;
}

function parsed(line: RawLine, path: string): JournalLine {
  return { commit: parseCommit(line, path), start: line.start, next: line.next };
}

/** The lines of a part of a file all of which has to be there, read a chunk at a time. */
function* linesBetween({ disk }: StoreContext, path: string, from: number, end: number): Generator<RawLine> {
  const file = openIfExists(disk, path);
  if (file === undefined) throw new DamagedFile(path, 0, "the file is missing");
  try {
    for (let position = from, wanted = chunkBytes; position < end; ) {
      const length = Math.min(wanted, end - position);
      const chunk = readRange(disk, file, position, length);
      const whole = chunk.subarray(0, chunk.lastIndexOf(newline) + 1);
      if (chunk.byteLength < length) throw new DamagedFile(path, position, "the file became shorter");
      if (whole.byteLength === 0 && position + length === end) throw new DamagedFile(path, position, "no newline");
      // A line that is longer than a chunk is read again, together with what follows.
      wanted = whole.byteLength === 0 ? wanted * 2 : chunkBytes;
      yield* rawLines(whole, position, path);
      position += whole.byteLength;
    }
  } finally {
    disk.close(file);
  }
}
