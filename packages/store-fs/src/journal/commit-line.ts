import { checkJournalQuotas, type Instant, type TaskEvent, type TaskEventBody } from "@resumable-mcp/core/store";
import { encodeLine } from "../disk/checked-line.js";
import { copyJson } from "../disk/json.js";
import type { FsStoreLimits } from "../disk/limits.js";
import { limitExceeded } from "../disk/store-errors.js";
import { keptBytes, type TaskView } from "./task-view.js";

/** Events with their place and time. */
export interface NumberedEvents {
  /** As JSON, for the journal. */
  readonly text: string;
  /** What parsing the text gives. It is the store's own: nothing else has it, and it is frozen when it is given out. */
  readonly events: readonly TaskEvent[];
}

/** Gives events their place and time. What an event says of these itself does not count. */
export function numberEvents(request: {
  readonly events: readonly TaskEventBody[];
  readonly afterSeq: number;
  readonly now: Instant;
}): NumberedEvents {
  const at = isoTime(request.now.wallMs);
  const texts: string[] = [];
  const events: TaskEvent[] = [];
  let seq = request.afterSeq;
  for (const body of request.events) {
    seq += 1;
    // What is named twice counts as it was named last.
    const text = `${JSON.stringify(body).slice(0, -1)},"seq":${seq},"at":"${at}"}`;
    texts.push(text);
    events.push(numberedCopy(body, seq, at) ?? JSON.parse(text));
  }
  return { text: `[${texts.join()}]`, events };
}

function numberedCopy(body: TaskEventBody, seq: number, at: string): TaskEvent | undefined {
  const copy = copyJson(body);
  // What is not an event at all makes a text that is not JSON: parsing it refuses it.
  return isEvent(copy) ? Object.assign(copy, { seq, at }) : undefined;
}

function isEvent(copy: unknown): copy is TaskEventBody {
  return typeof copy === "object" && copy !== null && "type" in copy && typeof copy.type === "string";
}

let newest = { ms: Number.NaN, text: "" };

/** Many commits share a millisecond, and writing a date costs as much as many a line. */
function isoTime(ms: number): string {
  if (newest.ms !== ms) newest = { ms, text: new Date(ms).toISOString() };
  return newest.text;
}

/** Writes a commit as a line of the journal. */
export function encodeCommit(commit: { seq: number; text: string; consumed: readonly string[] }): Buffer {
  const { seq, text, consumed } = commit;
  const also = consumed.length === 0 ? "" : `,"consumed":${JSON.stringify(consumed)}`;
  return encodeLine(`{"seq":${seq},"events":${text}${also}}`);
}

/** @throws {@link ResumableError} `LIMIT_EXCEEDED` or `QUOTA_EXCEEDED` for a commit that is too large for its journal. */
export function checkCommitSize(
  limits: FsStoreLimits,
  view: TaskView,
  { events, bytes }: { readonly events: readonly TaskEventBody[]; readonly bytes: number },
): void {
  if (bytes > limits.maxCommitBytes) throw limitExceeded("maxCommitBytes", bytes, limits.maxCommitBytes);
  const { id, lastSeq } = view.record;
  checkJournalQuotas(limits, id, events, { events: lastSeq + events.length, bytes: keptBytes(view) + bytes });
}
