import { DamagedFile, rawLines } from "./checked-line.js";
import { type ChainEntry, type JournalCommit, parseCommit, peekSeq } from "./journal-line.js";
import type { StoreContext } from "./store-context.js";
import { readFrom } from "./whole-file.js";

/** The commits of one journal file that reach beyond a seq, as far as the file counts. */
export function* journalLines(
  context: StoreContext,
  path: string,
  entry: Pick<ChainEntry, "bytes">,
  afterSeq: number,
): Generator<{ readonly commit: JournalCommit; readonly bytes: number }> {
  const whole = readFrom(context.disk, path);
  if (whole === undefined) throw new DamagedFile(path, 0, "the file is missing");
  if (whole.byteLength < entry.bytes) throw new DamagedFile(path, whole.byteLength, "the file became shorter");
  const [, ...lines] = rawLines(whole.subarray(0, entry.bytes), 0, path);
  for (const [index, line] of lines.entries()) {
    const following = lines[index + 1];
    // A commit begins where its line says and ends before the next one begins.
    if (following !== undefined && (peekSeq(following) ?? 0) <= afterSeq + 1) continue;
    const commit = parseCommit(line, path);
    if ((commit.events.at(-1)?.seq ?? 0) > afterSeq) yield { commit, bytes: line.next - line.start };
  }
}
