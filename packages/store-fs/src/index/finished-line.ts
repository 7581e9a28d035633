import { join } from "node:path";
import { finalStatuses, type TaskSummary } from "@resumable-mcp/core/store";
import { z } from "zod";
import { encodeLine, isIntact, type RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import { hashOf } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists } from "../disk/whole-file.js";

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
  /** There may be another line about this task. */
  again: z.optional(z.literal(true)),
  /** The task was deleted. */
  gone: z.optional(z.literal(true)),
  id: z.string(),
  /** Lines of one incarnation are about one task; an id may be used again after a deletion. */
  incarnation: z.string(),
  summary: z.optional(z.custom<TaskSummary>((value) => summaryShape.safeParse(value).success)),
});

/** One line of the list of finished tasks. */
export type FinishedLine = z.infer<typeof lineSchema>;

/** Writes a line of the list of finished tasks. What lists choose by comes first, to be found without parsing the line. */
export function encodeFinished(line: FinishedLine): Buffer {
  const { again, gone, summary, ...rest } = line;
  return encodeLine(JSON.stringify({ again, gone, ...rest, summary: summary && inOrder(summary) }));
}

function inOrder({ id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest }: TaskSummary): TaskSummary {
  return { id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest };
}

const flagOffset = '{"crc":"00000000","'.length;
/** How `again` and `gone` begin: every other line begins with another letter. */
const flags: ReadonlySet<number | undefined> = new Set(Buffer.from("ag"));

/** Parses a line that may be one of several about the same task; `undefined` for every other, which is not parsed. */
export function parseFlagged(line: RawLine): FinishedLine | undefined {
  return flags.has(line.bytes[flagOffset]) ? parseFinished(line) : undefined;
}

/** The newest that lines say of a task. */
export interface Superseding {
  readonly seq: number;
  readonly gone: boolean;
}

/** Notes what a line says, unless something newer is known of its task. */
export function supersede(superseding: Map<string, Superseding>, line: FinishedLine | undefined): void {
  if (line === undefined) return;
  const known = superseding.get(line.incarnation);
  if (known !== undefined && (known.seq > line.seq || (known.seq === line.seq && known.gone))) return;
  superseding.set(line.incarnation, { seq: line.seq, gone: line.gone === true });
}

/** Parses a line, or gives `undefined` for one that is damaged: the task's own files still have all. */
export function parseFinished(line: RawLine): FinishedLine | undefined {
  return isIntact(line.bytes) ? parseFinishedText(line.bytes.toString("utf8")) : undefined;
}

/** Parses the text of a line that is not damaged. */
export function parseFinishedText(text: string): FinishedLine | undefined {
  return lineSchema.safeParse(JSON.parse(text)).data;
}

/** What lists choose and count finished tasks by. */
export interface FinishedHead
  extends Pick<TaskSummary, "id" | "owner" | "tool" | "status" | "createdAt" | "finishedAt" | "ttlMs"> {
  readonly seq: number;
  readonly incarnation: string;
}

/** How far into a line is looked; a line whose head is longer is parsed. */
const headBytes = 1024;

/**
 * The beginning of a line as `encodeFinished` writes it. Text that JSON would have to decode is not matched, so that what is
 * matched is what parsing the line would give.
 */
const headPattern = new RegExp(
  [
    /^\{"crc":"[0-9a-f]{8}",(?:"again":true,)?"seq":(\d+),"id":"([\w-]+)","incarnation":"([\w-]+)","summary":\{"id":"\2",/,
    /"owner":"([ !#-[\]-~]*)","tool":"([ !#-[\]-~]*)","status":"([a-z]+)","createdAt":"([\d:.TZ-]+)",/,
    /"finishedAt":"([\d:.TZ-]+)","ttlMs":(\d+)[,}]/,
  ]
    .map(({ source }) => source)
    .join(""),
);

/**
 * Reads what lists need to know of a line, without parsing all of it: of 100,000 lines a page gives away a hundred.
 *
 * @returns `undefined` for a damaged line, and for one that says nothing of a finished task.
 */
export function readHead(line: RawLine): FinishedHead | undefined {
  return isIntact(line.bytes) ? (peekHead(line) ?? parsedHead(line)) : undefined;
}

function peekHead({ bytes }: RawLine): FinishedHead | undefined {
  const match = headPattern.exec(bytes.toString("latin1", 0, headBytes));
  if (match === null) return undefined;
  const [, seq, id = "", incarnation = "", owner = "", tool = "", word, createdAt = "", finishedAt = "", ttlMs] = match;
  const status = finalStatuses.find((known) => known === word);
  return (
    status && { seq: Number(seq), id, incarnation, owner, tool, status, createdAt, finishedAt, ttlMs: Number(ttlMs) }
  );
}

/** Lines of an earlier version have their parts in another order. */
function parsedHead(line: RawLine): FinishedHead | undefined {
  const parsed = parseFinishedText(line.bytes.toString("utf8"));
  if (parsed?.summary === undefined) return undefined;
  const { seq, id, incarnation, summary } = parsed;
  const { owner, tool, status, createdAt, finishedAt, ttlMs } = summary;
  return { seq, id, incarnation, owner, tool, status, createdAt, ttlMs, finishedAt };
}

/** The day and the maker of a file of finished tasks, out of its name. */
export function parseFinishedName(name: string): { readonly day: string; readonly instance: string } | undefined {
  const match = /^(\d{4}-\d\d-\d\d)\.([A-Za-z0-9_-]+)-[0-9a-z]+(?:\.[0-9a-f]{12})?\.jsonl$/.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { day: match[1], instance: match[2] };
}

/** A name for a file of a store that has ended, which says what the file was called before. */
export function takenName(
  { instance, unique }: Pick<StoreContext, "instance" | "unique">,
  name: string,
  day: string,
): string {
  return `${day}.${instance}-c${Buffer.from(unique()).toString("hex")}.${markOf(name)}.jsonl`;
}

function markOf(name: string): string {
  return hashOf(name).slice(0, 12);
}

/**
 * Reads the lines of a file whose name was listed a moment ago, many at a time. Should another store have taken it over meanwhile, they
 * are read where they are now: each line is found once.
 */
async function* finishedLines(context: StoreContext, listed: string): AsyncGenerator<Iterable<RawLine>> {
  const { disk, layout } = context;
  for (let name: string | undefined = listed; name !== undefined; name = successorOf(context, name)) {
    const lines = fileLines(disk, join(layout.done, name));
    if (lines !== undefined) return yield* lines;
  }
}

/** A file that was removed without a successor had no line that counts. */
function successorOf({ disk, layout }: StoreContext, gone: string): string | undefined {
  const mark = `.${markOf(gone)}.jsonl`;
  return listIfExists(disk, layout.done)?.find((name) => name.endsWith(mark));
}

/** Shows every line of files as they were listed a moment ago, and lets others work in between. */
export async function visitLines(
  context: StoreContext,
  names: readonly string[],
  visit: (line: RawLine) => void,
): Promise<void> {
  for (const name of names) {
    for await (const lines of finishedLines(context, name)) for (const line of lines) visit(line);
  }
}
