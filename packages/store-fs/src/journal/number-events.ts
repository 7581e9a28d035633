import type { Instant, TaskEvent, TaskEventBody } from "@resumable-mcp/core";
import { copyJson } from "./copy-json.js";

/** Events with their place and time. */
export interface NumberedEvents {
  /** As JSON, for the journal. */
  readonly text: string;
  /** What parsing the text gives. It is the store's own: nobody else has it, and it is frozen when it is given out. */
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
  // What is no event at all makes a text that is no JSON: parsing it refuses it.
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
