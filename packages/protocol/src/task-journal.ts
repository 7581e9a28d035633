import type { Json, JsonObject } from "@resumable-mcp/core";
import { JsonFields } from "./json-fields.js";

/** One event of a task's journal, as its server shows it. */
export interface JournalEvent {
  /** Place in the journal: 1, 2, 3 … */
  readonly seq: number;
  /** ISO 8601 UTC. */
  readonly at?: string;
  /** `attempt_started`, `checkpoint`, `step`, `log` and others; a newer server may send other types. */
  readonly type: string;
  /** The other properties of the event. */
  readonly data: JsonObject;
}

/** What happened to a task; a long journal gives its newest events only. */
export interface TaskJournal {
  readonly lastSeq: number;
  /** Those of the call that made the task. */
  readonly arguments?: JsonObject;
  readonly events: readonly JournalEvent[];
}

/** Reads the resource `task://{id}/journal`; an entry that is not an event is left out. */
export function decodeJournal(value: unknown): TaskJournal | undefined {
  const fields = JsonFields.of(value);
  const lastSeq = fields?.number("last_seq");
  if (fields === undefined || lastSeq === undefined) return undefined;
  const events = fields.list("events").flatMap((event) => decodeEvent(event) ?? []);
  return { lastSeq, arguments: fields.object("arguments"), events };
}

function decodeEvent(event: Json): JournalEvent | undefined {
  const fields = JsonFields.of(event);
  const [seq, type] = [fields?.number("seq"), fields?.text("type")];
  if (fields === undefined || seq === undefined || type === undefined) return undefined;
  return { seq, type, at: fields.text("at"), data: fields.without("seq", "at", "type") };
}
