import { finalStatuses, type TaskSummary } from "@resumable-mcp/core/store";
import { z } from "zod";
import { encodeLine, isIntact, type RawLine } from "../disk/checked-line.js";

const summaryShape = z.looseObject({
  id: z.string(),
  owner: z.string(),
  tool: z.string(),
  status: z.enum(finalStatuses),
  createdAt: z.string(),
  updatedAt: z.string(),
  ttlMs: z.number(),
});

const lineSchema = z.object({
  /** The journal's last seq: of two lines about one task the one with the higher seq counts. */
  seq: z.number(),
  id: z.string(),
  /** Lines of one incarnation are about one task; an id may be used again after a deletion. */
  incarnation: z.string(),
  /** Absent: the task was deleted. */
  summary: z.optional(z.custom<TaskSummary>((value) => summaryShape.safeParse(value).success)),
});

/** One line of the list of finished tasks. */
export type FinishedLine = z.infer<typeof lineSchema>;

/** Writes a line of the list of finished tasks. What lists choose by comes first, to be found without parsing the line. */
export function encodeFinished({ summary, ...rest }: FinishedLine): Buffer {
  return encodeLine(JSON.stringify({ ...rest, summary: summary && inOrder(summary) }));
}

function inOrder({ id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest }: TaskSummary): TaskSummary {
  return { id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest };
}

/** Parses a line, or gives `undefined` for one that is damaged: the task's own files still have all. */
export function parseFinished(line: RawLine): FinishedLine | undefined {
  return isIntact(line.bytes) ? lineSchema.safeParse(JSON.parse(line.bytes.toString("utf8"))).data : undefined;
}

/** What lists choose and count finished tasks by. */
export interface FinishedHead extends Pick<FinishedLine, "seq" | "id" | "incarnation"> {
  /** Absent: the task was deleted. */
  readonly chosenBy?: Pick<TaskSummary, "owner" | "tool" | "status" | "createdAt" | "finishedAt" | "ttlMs">;
}

/** How far into a line is looked; a line whose head is longer is parsed. */
const headBytes = 1024;

/** Whose line it is. */
const namePattern = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),"id":"([\w-]+)","incarnation":"([\w-]+)"/;
/** More than that takes, ids being as long as they may be. */
const nameBytes = 256;

/**
 * The beginning of a line as `encodeFinished` writes it. Text that JSON would have to decode is not matched, so that what is
 * matched is what parsing the line would give.
 */
const headPattern = new RegExp(
  [
    namePattern.source,
    String.raw`,"summary":\{"id":"\2",`,
    /"owner":"([ !#-[\]-~]*)","tool":"([ !#-[\]-~]*)","status":"([a-z]+)","createdAt":"([\d:.TZ-]+)",/.source,
    /"finishedAt":"([\d:.TZ-]+)","ttlMs":(\d+)[,}]/.source,
  ].join(""),
);

/**
 * Reads what lists need to know of a line that is intact, without parsing all of it: of 100,000 lines a page gives away a hundred.
 *
 * @returns `undefined` for one that is not a line of the list.
 */
export function readHead(line: RawLine): FinishedHead | undefined {
  return peekHead(line) ?? parsedHead(line);
}

function peekHead({ bytes }: RawLine): FinishedHead | undefined {
  const match = headPattern.exec(bytes.toString("latin1", 0, headBytes));
  if (match === null) return undefined;
  const [, seq, id = "", incarnation = "", owner = "", tool = "", word, createdAt = "", finishedAt = "", ttlMs] = match;
  const status = finalStatuses.find((known) => known === word);
  const chosenBy = status && { owner, tool, status, createdAt, finishedAt, ttlMs: Number(ttlMs) };
  return chosenBy && { seq: Number(seq), id, incarnation, chosenBy };
}

function parsedHead(line: RawLine): FinishedHead | undefined {
  const { summary: chosenBy, ...rest } = parseFinished(line) ?? {};
  return "id" in rest ? { ...rest, chosenBy } : undefined;
}

/** Whose line it is, be it intact or not; `undefined` where its beginning does not say so. */
export function readIncarnation({ bytes }: RawLine): string | undefined {
  return namePattern.exec(bytes.toString("latin1", 0, nameBytes))?.[3];
}

/** The day and the maker of a file of finished tasks, out of its name. */
export function parseFinishedName(name: string): { readonly day: string; readonly instance: string } | undefined {
  const match = /^(\d{4}-\d\d-\d\d)\.([A-Za-z0-9_-]+)-[0-9a-z]+\.jsonl$/.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { day: match[1], instance: match[2] };
}
