import type { TaskSummary } from "@resumable-mcp/core";
import { isIntact, type RawLine } from "../disk/checked-line.js";
import { parseDoneText } from "./done-line.js";

/** What lists choose and count finished tasks by. */
export interface DoneHead
  extends Pick<TaskSummary, "id" | "owner" | "tool" | "status" | "createdAt" | "finishedAt" | "ttlMs"> {
  readonly seq: number;
  readonly birth: string;
}

/** How far into a line is looked; a line whose head is longer is parsed. */
const headBytes = 1024;
const finalStatuses = ["completed", "failed", "cancelled"] as const;

/**
 * The beginning of a line as `encodeDone` writes it. Text that JSON would have to decode is not matched, so that what is
 * matched is what parsing the line would give.
 */
const headPattern = new RegExp(
  [
    /^\{"crc":"[0-9a-f]{8}",(?:"again":true,)?"seq":(\d+),"id":"([\w-]+)","birth":"([\w-]+)","summary":\{"id":"\2",/,
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
export function readHead(line: RawLine): DoneHead | undefined {
  return isIntact(line.bytes) ? (peekHead(line) ?? parsedHead(line)) : undefined;
}

function peekHead({ bytes }: RawLine): DoneHead | undefined {
  const match = headPattern.exec(bytes.toString("latin1", 0, headBytes));
  if (match === null) return undefined;
  const [, seq, id = "", birth = "", owner = "", tool = "", word, createdAt = "", finishedAt = "", ttlMs] = match;
  const status = finalStatuses.find((known) => known === word);
  return status && { seq: Number(seq), id, birth, owner, tool, status, createdAt, finishedAt, ttlMs: Number(ttlMs) };
}

/** Lines of an earlier version have their parts in another order. */
function parsedHead(line: RawLine): DoneHead | undefined {
  const parsed = parseDoneText(line.bytes.toString("utf8"));
  if (parsed?.summary === undefined) return undefined;
  const { seq, id, birth, summary } = parsed;
  const { owner, tool, status, createdAt, finishedAt, ttlMs } = summary;
  return { seq, id, birth, owner, tool, status, createdAt, ttlMs, ...(finishedAt !== undefined && { finishedAt }) };
}
