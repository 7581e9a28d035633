import type { TaskSummary } from "@resumable-mcp/core";
import * as z from "zod/mini";
import { encodeLine, isIntact, type RawLine } from "./checked-line.js";

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

/** Writes a line of the list of finished tasks. */
export function encodeDone(line: DoneLine): Buffer {
  const { again, gone, ...rest } = line;
  // The flags come first, so that they are found without parsing the line.
  return encodeLine(JSON.stringify({ ...(again && { again }), ...(gone && { gone }), ...rest }));
}

const marks = ['"again":true,', '"gone":true,'].map((mark) => Buffer.from(mark));
const flagOffset = '{"crc":"00000000",'.length;

/** Tells without parsing whether a line may stand beside others about the same task. */
export function isFlagged(line: RawLine): boolean {
  return marks.some((mark) => line.bytes.subarray(flagOffset, flagOffset + mark.byteLength).equals(mark));
}

/** Parses a line, or gives `undefined` for one that is damaged: the task's own files still have all. */
export function parseDone(line: RawLine): DoneLine | undefined {
  if (!isIntact(line.bytes)) return undefined;
  return lineSchema.safeParse(JSON.parse(line.bytes.toString("utf8"))).data;
}
