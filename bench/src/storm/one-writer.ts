import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TaskEvent } from "@resumable-mcp/core/store";
import type { Acknowledged } from "../kills/life.js";

/** How much of an earlier file counts, as a later file's first line says. */
export interface Sealed {
  readonly epoch: number;
  readonly base: number;
  readonly end: number;
  readonly bytes: number;
}

/** The first line of a journal file, as far as the proof needs it. */
export interface JournalHead {
  readonly epoch: number;
  readonly lease: number;
  readonly worker: string | null;
  readonly base: number;
  readonly chain: readonly Sealed[];
}

/** A later line of a journal file, and where it ends. */
export interface JournalEntry {
  readonly seq: number;
  readonly events: readonly TaskEvent[];
  readonly endsAt: number;
}

/** One journal file as it lies on the disk. */
export interface JournalFile {
  readonly epoch: number;
  /** Absent while the epoch is announced and not sealed. */
  readonly head: JournalHead | undefined;
  readonly entries: readonly JournalEntry[];
}

/**
 * Reads a task's journal files without the store's own code, lowest epoch first: the proof must not believe what it
 * is to prove.
 */
export async function readJournalFiles(folder: string): Promise<readonly JournalFile[]> {
  const files: JournalFile[] = [];
  for (const name of await readdir(folder)) {
    const epoch = /^journal\.(\d+)\.jsonl$/.exec(name)?.[1];
    if (epoch !== undefined) files.push(parseJournal(Number(epoch), await readFile(join(folder, name))));
  }
  return files.sort((left, right) => left.epoch - right.epoch);
}

/** What follows the last newline is a write that was cut short. */
function parseJournal(epoch: number, bytes: Buffer): JournalFile {
  let head: JournalHead | undefined;
  const entries: JournalEntry[] = [];
  for (let start = 0, end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
    const line: unknown = JSON.parse(bytes.toString("utf8", start, end));
    if (head === undefined) head = line as JournalHead;
    else entries.push({ ...(line as Omit<JournalEntry, "endsAt">), endsAt: end + 1 });
  }
  return { epoch, head, entries };
}

/** What a task's journal files prove, or fail to. */
export interface WriterProof {
  readonly problems: readonly string[];
  /** Leases under which something that counts was written. */
  readonly writers: number;
  /** Lines that a writer appended after its epoch was over. They do not count, and were not acknowledged. */
  readonly lateLines: number;
}

/** A stretch of the history: the lines of one file that count. */
interface Stretch {
  readonly head: JournalHead;
  readonly sealed: Sealed;
  readonly lines: readonly JournalEntry[];
}

/**
 * Proves from the files of a journal that its task had one writer at a time.
 *
 * The newest seal says which lines count. They have to be one history without gap or repeat, cut into stretches of rising
 * epochs; each earlier seal has to have said the same of what lay before it, so that nothing was added to an epoch once
 * it was over; and each acknowledged commit has to lie in a stretch of its own lease.
 */
export function proveOneWriter(files: readonly JournalFile[], acknowledged: readonly Acknowledged[]): WriterProof {
  const newest = files.findLast(({ head }) => head !== undefined);
  if (newest?.head === undefined) return { problems: ["no journal is sealed"], writers: 0, lateLines: 0 };
  const chain = chainThrough(newest.head, newest.entries);
  const byEpoch = new Map(files.map((file) => [file.epoch, file]));
  const stretches = chain.flatMap((sealed) => stretchOf(sealed, byEpoch));
  const counted = stretches.reduce((sum, { lines }) => sum + lines.length, 0);
  const written = files.reduce((sum, { entries }) => sum + entries.length, 0);
  const history = stretches.flatMap(({ lines, head }) =>
    lines.flatMap(({ events }) => events.map((event) => ({ event, lease: head.lease, worker: head.worker }))),
  );
  return {
    problems: [
      ...missingFiles(chain, stretches),
      ...brokenOrder(chain, stretches),
      ...contradictingSeals(files, chain),
      ...wrongAcknowledgements(history, acknowledged),
      ...mixedAttempts(history),
    ],
    writers: new Set(stretches.map(({ head }) => head.lease)).size,
    lateLines: written - counted,
  };
}

/** The newest file counts as far as it goes. */
function chainThrough(head: JournalHead, entries: readonly JournalEntry[]): readonly Sealed[] {
  const last = entries.at(-1);
  if (last === undefined) return head.chain;
  const own = { epoch: head.epoch, base: head.base, end: lastSeqOf(last), bytes: last.endsAt };
  return [...head.chain, own];
}

function lastSeqOf({ seq, events }: JournalEntry): number {
  return events.at(-1)?.seq ?? seq - 1;
}

function stretchOf(sealed: Sealed, files: ReadonlyMap<number, JournalFile>): readonly Stretch[] {
  const file = files.get(sealed.epoch);
  if (file?.head === undefined) return [];
  return [{ head: file.head, sealed, lines: file.entries.filter(({ endsAt }) => endsAt <= sealed.bytes) }];
}

function missingFiles(chain: readonly Sealed[], stretches: readonly Stretch[]): readonly string[] {
  const there = new Set(stretches.map(({ sealed }) => sealed.epoch));
  return chain.filter(({ epoch }) => !there.has(epoch)).map(({ epoch }) => `the file of epoch ${epoch} is missing`);
}

/** Epochs rise, leases never fall, and each line begins where the one before it ended. */
function brokenOrder(chain: readonly Sealed[], stretches: readonly Stretch[]): readonly string[] {
  const problems: string[] = [];
  let seq = chain[0]?.base ?? 0;
  let [epoch, lease] = [0, 0];
  for (const { head, sealed, lines } of stretches) {
    if (sealed.epoch <= epoch || head.lease < lease) problems.push(`epoch ${sealed.epoch} follows ${epoch}`);
    if (sealed.base !== seq) problems.push(`epoch ${sealed.epoch} begins behind ${sealed.base}, not ${seq}`);
    for (const line of lines) {
      for (const event of line.events) {
        if (event.seq !== seq + 1) problems.push(`event ${event.seq} follows ${seq} in epoch ${sealed.epoch}`);
        seq = event.seq;
      }
    }
    if (seq !== sealed.end) problems.push(`epoch ${sealed.epoch} ends at ${seq}, and its seal says ${sealed.end}`);
    if ((lines.at(-1)?.endsAt ?? 0) !== sealed.bytes) problems.push(`epoch ${sealed.epoch} is sealed within a line`);
    [epoch, lease] = [sealed.epoch, head.lease];
  }
  return problems;
}

/**
 * A seal within the history is a beginning of it: what it left out never counts again, what it counted always does. Of
 * files that compaction removed since, an earlier seal may still speak.
 */
function contradictingSeals(files: readonly JournalFile[], chain: readonly Sealed[]): readonly string[] {
  const oldest = chain[0]?.epoch ?? 0;
  const textOf = (sealed: readonly Sealed[]) => sealed.map(({ epoch, bytes }) => `${epoch}:${bytes}`).join();
  return chain.flatMap(({ epoch }) => {
    const head = files.find((file) => file.epoch === epoch)?.head;
    const before = chain.filter((sealed) => sealed.epoch < epoch);
    const said = head?.chain.filter((sealed) => sealed.epoch >= oldest) ?? [];
    return textOf(said) === textOf(before) ? [] : [`the seal of epoch ${epoch} contradicts the newest one`];
  });
}

/** An event and who wrote it. */
export interface Written {
  readonly event: TaskEvent;
  readonly lease: number;
  readonly worker: string | null;
}

/** The history has each acknowledged commit, under the lease of its writer. */
function wrongAcknowledgements(history: readonly Written[], acknowledged: readonly Acknowledged[]): readonly string[] {
  const bySeq = new Map(history.map((written) => [written.event.seq, written]));
  const first = history[0]?.event.seq ?? 1;
  return acknowledged.flatMap(({ epoch, worker, afterSeq, lastSeq }) => {
    for (let seq = Math.max(afterSeq + 1, first); seq <= lastSeq; seq += 1) {
      const written = bySeq.get(seq);
      if (written === undefined) return [`event ${seq} was acknowledged to epoch ${epoch} and is lost`];
      if (written.lease !== epoch || written.worker !== worker) {
        return [`event ${seq} was acknowledged to epoch ${epoch} and is epoch ${written.lease}'s`];
      }
    }
    return [];
  });
}

/** What only the tool of a task makes happen. */
const ownTypes: ReadonlySet<string> = new Set<TaskEvent["type"]>([
  "checkpoint",
  "step",
  "step_failed",
  "artifact",
  "called",
  "returned",
  "completed",
]);

/** Between its start and its end, an attempt alone writes what its tool does. */
export function mixedAttempts(history: readonly Written[]): readonly string[] {
  const problems: string[] = [];
  let running: Written | undefined;
  // Where compaction removed the beginning, an attempt may be under way already.
  let known = history[0]?.event.seq === 1;
  for (const written of history) {
    const { event, lease } = written;
    if (event.type === "attempt_started") {
      if (running !== undefined) problems.push(`attempt ${event.attempt} began while another ran`);
      if (event.worker !== written.worker) problems.push(`attempt ${event.attempt} is not its writer's`);
      running = written;
      known = true;
    }
    if (ownTypes.has(event.type) && known && running?.lease !== lease)
      problems.push(`event ${event.seq} is not by the attempt that runs`);
    if (event.type === "attempt_ended" || event.type === "completed") running = undefined;
  }
  return problems;
}
