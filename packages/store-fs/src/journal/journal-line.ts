import { join } from "node:path";
import type { Json, TaskRecord } from "@resumable-mcp/core";
import { deepFreeze } from "@resumable-mcp/core/internal";
import { finalStatuses, type TaskEvent, unfinishedStatuses } from "@resumable-mcp/core/store";
import { z } from "zod";
import { DamagedFile, decodeLine, isIntact, type RawLine, rawLines } from "../disk/checked-line.js";
import { LineChunks } from "../disk/file-lines.js";
import { journalName, layoutVersion } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { openIfExists } from "../disk/whole-file.js";

/** What a task's record has in every store. */
export const recordShape = z.looseObject({
  id: z.string(),
  owner: z.string(),
  tool: z.string(),
  toolVersion: z.string(),
  key: z.nullable(z.string()),
  detached: z.boolean(),
  ttlMs: z.number(),
  status: z.enum([...unfinishedStatuses, ...finalStatuses]),
  desiredState: z.enum(["run", "pause"]),
  generation: z.number(),
  attempt: z.number(),
  live: z.boolean(),
  crashes: z.number(),
  failures: z.number(),
  progress: z.number(),
  itemCount: z.number(),
  itemBytes: z.number(),
  itemsFromSeq: z.number(),
  remembered: z.record(
    z.string(),
    z.looseObject({
      kind: z.enum([
        "step",
        "failed_step",
        "map",
        "call",
        "returned",
        "failed_call",
        "artifact",
        "sleep",
        "question",
        "answer",
      ]),
    }),
  ),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastSeq: z.number(),
});

/** A task's record as it stands in files. The value is passed on as it is: unknown fields survive. */
export const recordSchema = z.custom<TaskRecord>((value) => recordShape.safeParse(value).success);

const chainSchema = z.object({
  epoch: z.number(),
  /** Last seq before the file, and in it. */
  base: z.number(),
  end: z.number(),
  /** How much of the file counts. */
  bytes: z.number(),
  /** Items before the file, counted from `itemsFrom`. */
  items: z.number(),
  itemsFrom: z.number(),
});

const segmentSchema = z.object({
  name: z.string(),
  bytes: z.number(),
  /** Index of the first item, counted from `itemsFrom`. */
  first: z.number(),
  count: z.number(),
  itemsFrom: z.number(),
});

/** The first line of a journal file: what the task was when the epoch began, and how much of earlier files counts. */
const headerSchema = z.object({
  layout: z.literal(layoutVersion),
  taskId: z.string(),
  /** Tells the task from one that is made under the same id after this one was deleted. */
  incarnation: z.string(),
  epoch: z.number(),
  /** The epoch by which the lease is known: rotation begins a new file, not a new lease. */
  lease: z.number(),
  worker: z.nullable(z.string()),
  /** Names the worker's file and its lease. */
  holder: z.nullable(z.string()),
  ttlMs: z.number(),
  /** Last seq before this file, and the items before it, counted from `itemsFrom`. */
  base: z.number(),
  items: z.number(),
  itemsFrom: z.number(),
  record: z.nullable(recordSchema),
  /** The seal: every earlier file with events that count; all others count for nothing. */
  chain: z.array(chainSchema),
  /** Items of files that compaction removed. */
  segments: z.array(segmentSchema),
  /** Signals that were carried out, and whose files may still be there. */
  consumed: z.array(z.string()),
  /** Names of answers that were carried out since the last restart from nothing. */
  answered: z.array(z.string()),
});

/** How much of an earlier journal file counts. */
export type ChainEntry = z.infer<typeof chainSchema>;
/** A file with the items of removed journal files. */
export type ItemSegment = z.infer<typeof segmentSchema>;
/** The first line of a journal file. */
export type JournalHeader = z.infer<typeof headerSchema>;
/** Every other line of a journal file. */
export interface JournalCommit {
  readonly seq: number;
  readonly events: readonly TaskEvent[];
  readonly consumed?: readonly string[];
}

/** The first line of a task's first journal file: nothing was before. */
export function firstHeader(taskId: string, incarnation: string): JournalHeader {
  return {
    layout: layoutVersion,
    taskId,
    incarnation,
    epoch: 1,
    lease: 1,
    worker: null,
    holder: null,
    ttlMs: 0,
    base: 0,
    items: 0,
    itemsFrom: 1,
    record: null,
    chain: [],
    segments: [],
    consumed: [],
    answered: [],
  };
}

/** Parses the first line of a journal file. */
export function parseHeader(line: RawLine, path: string): JournalHeader {
  const parsed = headerSchema.safeParse(deepFreeze(decodeLine(line, path)));
  if (parsed.success) return parsed.data;
  throw new DamagedFile(path, line.start, `a line does not fit its schema (${parsed.error.issues[0]?.path.join(".")})`);
}

/** Parses a later line of a journal file. The values are new ones, which nothing else has. */
export function parseCommit(line: RawLine, path: string): JournalCommit {
  const parsed = decodeLine(line, path);
  if (isCommit(parsed)) return parsed;
  throw new DamagedFile(path, line.start, "a line is not a commit");
}

/** Written out, since replaying a journal is mostly this: a schema takes several times as long as parsing the text. */
function isCommit(value: unknown): value is JournalCommit {
  if (typeof value !== "object" || value === null) return false;
  const { seq, events, consumed }: { seq?: unknown; events?: unknown; consumed?: unknown } = value;
  if (typeof seq !== "number" || !Array.isArray(events) || !events.every(isEvent)) return false;
  return consumed === undefined || (Array.isArray(consumed) && consumed.every((id) => typeof id === "string"));
}

function isEvent(value: unknown): value is TaskEvent {
  if (typeof value !== "object" || value === null) return false;
  const { type, seq, at }: { type?: unknown; seq?: unknown; at?: unknown } = value;
  return typeof type === "string" && typeof seq === "number" && typeof at === "string";
}

const newline = 10;

/**
 * Cuts off what was never written: a journal file that is being written is extended by zeros beforehand, and a line
 * holds no zero.
 *
 * A write that was cut short may leave zeros within the last line; it goes with them.
 *
 * @param offset where in the file the bytes begin.
 * @throws {@link DamagedFile} when something whole follows the zeros: then something before it is missing.
 */
export function writtenPart(bytes: Buffer, offset: number, path: string): Buffer {
  const hole = bytes.indexOf(0);
  if (hole < 0) return bytes;
  if (isZero(bytes.subarray(hole))) return bytes.subarray(0, hole);
  const next = bytes.indexOf(newline, hole) + 1;
  for (const line of next === 0 ? [] : rawLines(bytes.subarray(next), offset + next, path)) {
    if (isIntact(line.bytes)) throw new DamagedFile(path, offset + hole, "bytes are missing");
  }
  return bytes.subarray(0, bytes.lastIndexOf(newline, hole) + 1);
}

/** Each byte is the one before it, and the first is zero. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}

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
  for (const line of linesBetween(context, path, from, entry.bytes)) {
    // The first line of a file is not a commit.
    if (line.start === 0) continue;
    const commit = parseCommit(line, path);
    if ((commit.events.at(-1)?.seq ?? 0) > afterSeq) yield { commit, start: line.start, next: line.next };
  }
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

/** Items that were appended together, and the index of the first of them. */
export interface ItemPart {
  readonly index: number;
  readonly items: readonly Json[];
}

/** The items of a generation that a file holds. */
export function* itemEvents(
  context: StoreContext,
  folder: string,
  entry: ChainEntry,
  itemsFrom: number,
): Generator<ItemPart> {
  let count = entry.items;
  let from = entry.itemsFrom;
  for (const { commit } of journalLines(context, join(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
    for (const event of commit.events) {
      if (event.type === "restarted" && !event.fromState) [count, from] = [0, event.seq];
      if (event.type !== "checkpoint" || event.items === undefined || event.items.length === 0) continue;
      if (from === itemsFrom) yield { items: event.items, index: count };
      count += event.items.length;
    }
  }
}
