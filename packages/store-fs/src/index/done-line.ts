import type { TaskSummary } from "@resumable-mcp/core";
import { z } from "zod";
import { encodeLine, isIntact, type RawLine } from "../disk/checked-line.js";

const summaryShape = z.looseObject({
  id: z.string(),
  owner: z.string(),
  tool: z.string(),
  status: z.enum(["completed", "failed", "cancelled"]),
  createdAt: z.string(),
  updatedAt: z.string(),
  ttlMs: z.number(),
});

const lineSchema = z.object({
  /** The journal's last seq: of two lines about one task the one with the higher seq counts. */
  seq: z.number(),
  /** There may be another line about this task. */
  again: z.optional(z.literal(true)),
  /** The task was deleted. */
  gone: z.optional(z.literal(true)),
  id: z.string(),
  /** Lines of one birth are about one task; an id may be used again after a deletion. */
  birth: z.string(),
  summary: z.optional(z.custom<TaskSummary>((value) => summaryShape.safeParse(value).success)),
});

/** One line of the list of finished tasks. */
export type DoneLine = z.infer<typeof lineSchema>;

/** Writes a line of the list of finished tasks. What lists choose by comes first, to be found without parsing the line. */
export function encodeDone(line: DoneLine): Buffer {
  const { again, gone, summary, ...rest } = line;
  const flags = { ...(again && { again }), ...(gone && { gone }) };
  return encodeLine(JSON.stringify({ ...flags, ...rest, ...(summary && { summary: inOrder(summary) }) }));
}

function inOrder({ id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest }: TaskSummary): TaskSummary {
  return { id, owner, tool, status, createdAt, ...(finishedAt !== undefined && { finishedAt }), ttlMs, ...rest };
}

const marks = ['"again":true,', '"gone":true,'].map((mark) => Buffer.from(mark));
const flagOffset = '{"crc":"00000000",'.length;

/** Tells without parsing whether a line may stand beside others about the same task. */
export function isFlagged(line: RawLine): boolean {
  const { bytes } = line;
  // Most lines are told apart by the first letter.
  return marks.some(
    (mark) =>
      bytes[flagOffset + 1] === mark[1] && bytes.subarray(flagOffset, flagOffset + mark.byteLength).equals(mark),
  );
}

const idMark = Buffer.from('"id":"');
const comma = 44;

/** Tells lines about tasks of these ids, and few others, from the rest; without decoding, or a look at checksums. */
export function idFilter(ids: ReadonlySet<string>): (line: RawLine) => boolean {
  const beginnings = new Set([...ids].map((id) => beginningOf(Buffer.from(id.padEnd(4)), 0)));
  return ({ bytes }) => {
    const start = idStart(bytes);
    return start + 4 <= bytes.byteLength && beginnings.has(beginningOf(bytes, start));
  };
}

function beginningOf(bytes: Buffer, start: number): number {
  return bytes.readInt32LE(start);
}

/** Most lines have no flag, and the id behind the seq. */
function idStart(bytes: Buffer): number {
  let place = flagOffset + 1;
  while (place < bytes.byteLength && bytes[place] !== comma) place += 1;
  const isNext = bytes[place + 2] === idMark[1] && bytes[place + 3] === idMark[2];
  return (isNext ? place + 1 : Math.max(0, bytes.indexOf(idMark))) + idMark.byteLength;
}

/** Parses a line, or gives `undefined` for one that is damaged: the task's own files still have all. */
export function parseDone(line: RawLine): DoneLine | undefined {
  return isIntact(line.bytes) ? parseDoneText(line.bytes.toString("utf8")) : undefined;
}

/** Parses the text of a line that is not damaged. */
export function parseDoneText(text: string): DoneLine | undefined {
  return lineSchema.safeParse(JSON.parse(text)).data;
}
