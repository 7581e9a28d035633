import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TaskEvent } from "@resumable-mcp/core";

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
