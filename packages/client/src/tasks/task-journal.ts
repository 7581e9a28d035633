import { z } from "zod";
import { type Json, type JsonObject, jsonObjectSchema } from "../json.js";

/** One event of a task's journal, as its server shows it. */
export interface JournalEvent {
  /** Place in the journal: 1, 2, 3 … */
  readonly seq: number;
  /** ISO 8601 UTC. */
  readonly at?: string;
  /** `attempt_started`, `checkpoint`, `step`, `log` and others; unknown ones may come. */
  readonly type: string;
  /** What else the server tells of it. */
  readonly data: JsonObject;
}

/** What happened to a task, the newest events only where there are many. */
export interface TaskJournal {
  readonly lastSeq: number;
  readonly events: readonly JournalEvent[];
}

const wireEvent = z.looseObject({ seq: z.number(), at: z.string().optional(), type: z.string() });
const wireJournal = z.object({ last_seq: z.number(), events: z.array(jsonObjectSchema) });

/** Parses what the resource `task://{id}/journal` holds; events that are none are left out. */
export function parseTaskJournal(value: Json): TaskJournal | undefined {
  const { success, data } = wireJournal.safeParse(value);
  if (!success) return undefined;
  return { lastSeq: data.last_seq, events: data.events.flatMap((event) => parseEvent(event) ?? []) };
}

function parseEvent(event: JsonObject): JournalEvent | undefined {
  const { success, data } = wireEvent.safeParse(event);
  if (!success) return undefined;
  const { seq: _seq, at: _at, type: _type, ...rest } = event;
  return { seq: data.seq, type: data.type, data: rest, ...(data.at === undefined ? {} : { at: data.at }) };
}
