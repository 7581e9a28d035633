import { type Json, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import type { Signal, TaskEvent } from "@resumable-mcp/core/store";
import { decodeWhole, encodeLine, plainKinds, recordSchema } from "@resumable-mcp/store-fs/admin";
import { z } from "zod";

/** The version of the file that this program writes and reads. */
export const exportVersion = 1;

const eventShape = z.looseObject({ type: z.string(), seq: z.number(), at: z.string() });
/** Kinds become parts of file names: no other ones are taken. */
const signalShape = z.union([
  z.looseObject({ id: z.string(), kind: z.enum(plainKinds) }),
  z.looseObject({
    id: z.string(),
    kind: z.literal("answer"),
    key: z.string(),
    answer: z.looseObject({ action: z.string() }),
  }),
]);
const instant = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT[0-9:.]+Z$/));
const datedShape = z.looseObject({ createdAt: instant, finishedAt: z.optional(instant) });

const lineSchema = z.discriminatedUnion("type", [
  /** The first line. */
  z.object({ type: z.literal("export"), format: z.literal("resumable-mcp-tasks"), version: z.number() }),
  /** A task begins. One that began before and has not ended is to be forgotten. */
  z.object({
    type: z.literal("task"),
    id: z.string(),
    /** The task before its first event in this file; `null` where that is the first of all. */
    base: z.nullable(recordSchema),
    signals: z.array(z.custom<Signal>((value) => signalShape.safeParse(value).success)),
  }),
  /** Items that belong to `base`, in order. */
  z.object({ type: z.literal("items"), items: z.array(z.custom<Json>((value) => value !== undefined)) }),
  z.object({
    type: z.literal("events"),
    events: z.array(z.custom<TaskEvent>((value) => eventShape.safeParse(value).success)),
  }),
  z.object({ type: z.literal("task_end"), id: z.string(), lastSeq: z.number() }),
  /** A session, a key, or whatever else servers keep in addition to tasks. */
  z.object({
    type: z.literal("document"),
    kind: z.string().check(z.regex(/^[a-z-]{1,32}$/)),
    id: z.string(),
    owner: z.string(),
    value: z.custom<Json>((value) => value !== undefined),
    updatedAt: instant,
  }),
  /** The last line. A file without it was cut short. */
  z.object({ type: z.literal("end"), tasks: z.number() }),
]);

/** One line of an exported file: a JSON object with a checksum, as in journals. */
export type ExportLine = z.infer<typeof lineSchema>;

/** Tells whether what the events of a file fold to is a task: a checksum says only that nothing was changed by chance. */
export function isWholeRecord(record: TaskRecord): boolean {
  // Dates become parts of file names.
  return recordSchema.safeParse(record).success && datedShape.safeParse(record).success;
}

/** Writes a line of an exported file. */
export function encodeExport(line: ExportLine): Buffer {
  return encodeLine(JSON.stringify(line));
}

/** @throws {@link ResumableError} `EXPORT_INVALID` for a line that is not what was written. */
export function parseExport(bytes: Buffer, line: number): ExportLine {
  const parsed = lineSchema.safeParse(decodeWhole(bytes));
  if (!parsed.success) throw invalidExport(line, "it is damaged");
  return parsed.data;
}

/** The file that is to be imported is not one, or not all of one. */
export function invalidExport(line: number, reason: string): ResumableError {
  return new ResumableError(
    "EXPORT_INVALID",
    `Line ${line} of the exported file cannot be used: ${reason}. Tasks that ended before it are imported; export the others again.`,
    { details: { line, reason } },
  );
}

/** The longest line of an exported file: a page of events, each of which may be as large as a commit. */
const maxExportLineBytes = 256 * 1024 * 1024;
const newline = 10;

/** Cuts a stream into lines, each with its newline; what follows the last one comes without. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      yield Buffer.concat([...parts, rest.subarray(0, end + 1)]);
      number += 1;
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.byteLength > 0) parts.push(rest);
    length += rest.byteLength;
    if (length > maxExportLineBytes) throw invalidExport(number, `it is longer than ${maxExportLineBytes} bytes`);
  }
  if (length > 0) yield Buffer.concat(parts);
}
