import { type Json, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import type { Signal, TaskEvent } from "@resumable-mcp/core/store";
import { decodeWhole, encodeLine, plainKinds, recordShape } from "@resumable-mcp/store-fs/admin";
import { z } from "zod";

/** The version of the file that this program writes and reads. */
export const exportVersion = 1;

/** How deep values of an exported file may nest: what a store does with them recurses. Messages to servers may nest 256 deep. */
const maxExportDepth = 1_000;

// Ids, kinds and times become parts of file names.
const taskId = z.string().check(z.regex(/^[A-Za-z0-9_-]{16,64}$/, "is not the id of a task"));
const toolName = z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,64}$/, "is not the name of a tool"));
const count = z.number().check(z.refine((value) => Number.isSafeInteger(value) && value >= 0, "is not a count"));
const instant = z.string().check(z.refine(isInstant, "is not a time such as 2026-11-21T09:00:00.000Z"));
const json = z.custom<Json>((value) => value !== undefined);
const mayBeInstant = z.optional(instant);

const recordInFile = recordShape.extend({
  ...{ id: taskId, tool: toolName, generation: count, attempt: count, crashes: count, failures: count },
  ...{ itemCount: count, itemBytes: count, itemsFromSeq: count, lastSeq: count },
  ...{ createdAt: instant, updatedAt: instant, startedAt: mayBeInstant, finishedAt: mayBeInstant },
  runnableAt: mayBeInstant,
});
const taskShape = z.looseObject({
  ...{ id: taskId, owner: z.string(), tool: toolName, toolVersion: z.string(), key: z.nullable(z.string()) },
  ...{ detached: z.boolean(), ttlMs: z.number() },
});
const eventShape = z
  .looseObject({
    ...{ type: z.string(), seq: count, at: instant, until: mayBeInstant, runnableAt: mayBeInstant },
    ...{ items: z.optional(z.array(json)), itemBytes: z.optional(count) },
    question: z.optional(z.looseObject({ expiresAt: mayBeInstant })),
    task: z.optional(taskShape),
  })
  .check(
    z.refine(({ type, task }) => type !== "created" || task !== undefined, { path: ["task"], error: "is missing" }),
  );
const signalShape = z.looseObject({
  id: z.string(),
  kind: z.enum([...plainKinds, "answer"]),
  cause: z.optional(z.literal("caller_left")),
  key: z.optional(z.string()),
  answer: z.optional(z.looseObject({ action: z.string() })),
});
const wholeSignal = signalShape.check(
  z.refine(
    ({ kind, key, answer }) => kind !== "answer" || (key !== undefined && answer !== undefined),
    "lacks its answer",
  ),
);

/** A value that fits a shape, as it is: unknown fields survive. */
function fitting<Value>(shape: z.ZodType): z.ZodType<Value> {
  return z.custom<Value>().check(({ value, issues }) => {
    for (const { message, path } of shape.safeParse(value).error?.issues ?? [])
      issues.push({ code: "custom", message, path: [...path], input: value });
  });
}

const lineSchema = z.discriminatedUnion("type", [
  /** The first line. */
  z.object({ type: z.literal("export"), format: z.literal("resumable-mcp-tasks"), version: z.number() }),
  /** A task begins. One that began before and has not ended is to be forgotten. */
  z.object({
    type: z.literal("task"),
    id: taskId,
    /** The task before its first event in this file; `null` where that is the first of all. */
    base: z.nullable(fitting<TaskRecord>(recordInFile)),
    signals: z.array(fitting<Signal>(wholeSignal)),
  }),
  /** Items that belong to `base`, in order. */
  z.object({ type: z.literal("items"), items: z.array(json) }),
  /** A chunk of an artifact, in order. */
  z.object({
    type: z.literal("chunk"),
    artifact: z.string().check(z.regex(/^[a-z0-9-]{1,64}$/, "is not the name of an artifact's chunks")),
    index: count,
    data: z.base64(),
  }),
  z.object({ type: z.literal("events"), events: z.array(fitting<TaskEvent>(eventShape)) }),
  z.object({ type: z.literal("task_end"), id: z.string(), lastSeq: z.number() }),
  /** A session, a key, or whatever else servers keep in addition to tasks. */
  z.object({
    type: z.literal("document"),
    kind: z.string().check(z.regex(/^[a-z-]{1,32}$/, "is not the kind of a document")),
    id: z.string(),
    owner: z.string(),
    value: json,
    updatedAt: instant,
  }),
  /** The last line. A file without it was cut short. */
  z.object({ type: z.literal("end"), tasks: z.number() }),
]);

/** One line of an exported file: a JSON object with a checksum, as in journals. */
export type ExportLine = z.infer<typeof lineSchema>;

/** What is wrong with what the events of a file fold to: a checksum says only that nothing was changed by chance. */
export function problemOfRecord(record: TaskRecord): string | undefined {
  const { error } = recordInFile.safeParse(record);
  return error && problemOf(error, "its task.");
}

/** Writes a line of an exported file. */
export function encodeExport(line: ExportLine): Buffer {
  return encodeLine(JSON.stringify(line));
}

/** @throws {@link ResumableError} `EXPORT_INVALID` for a line that is not what was written. */
export function parseExport(bytes: Buffer, line: number): ExportLine {
  const value = decodeWhole(bytes);
  const field = deepField(value);
  if (field !== undefined) throw invalidExport(line, `${field} nests deeper than ${maxExportDepth}`);
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidExport(line, typeof value === "object" ? problemOf(parsed.error) : "it is damaged");
}

/** `events[3].at is not a time such as …`. */
function problemOf({ issues: [issue] }: z.ZodError, above = ""): string {
  const field = (issue?.path ?? []).map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const what = /^(is|lacks) /.test(issue?.message ?? "") ? issue?.message : "is missing, or not what a store writes";
  return `${above}${field.replace(/^\./, "")} ${what}`;
}

/** Names the field of a line that nests too deeply. Level by level: nothing recurses. */
function deepField(line: unknown): string | undefined {
  let level: readonly (readonly [field: string, value: object])[] = isObject(line) ? [["", line]] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxExportDepth) return level[0]?.[0];
    const isNamed = depth <= namedLevels;
    level = level.flatMap(([above, value]) =>
      Object.entries(value).flatMap(([key, inner]) => {
        if (!isObject(inner)) return [];
        const place = Array.isArray(value) ? `[${key}]` : `.${key}`;
        return [[isNamed ? `${above}${place}`.replace(/^\./, "") : above, inner] as const];
      }),
    );
  }
  return undefined;
}

/** So many keys name a field in a message: as in `events[3].task.input`. */
const namedLevels = 4;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isInstant(text: string): boolean {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && new Date(ms).toISOString() === text;
}

/** The file that is to be imported is not one, or not all of one. */
export function invalidExport(line: number, reason: string): ResumableError {
  return new ResumableError(
    "EXPORT_INVALID",
    `Line ${line} of the exported file cannot be used: ${reason}. Export the tasks again, and import that file.`,
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
