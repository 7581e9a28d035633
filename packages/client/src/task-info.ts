import { decodeTask, type Json, JsonFields, type JsonObject, type TaskFacts } from "@resumable-mcp/protocol";

/** What a server says of one task. Times are ISO 8601 UTC. */
export interface TaskInfo extends TaskFacts {
  /** The address of the server that runs it. */
  readonly server: string;
}

/** Reads a task object; `undefined` when the value is not one. */
export function parseTaskInfo(value: unknown, server: string): TaskInfo | undefined {
  const facts = decodeTask(value);
  return facts === undefined ? undefined : { ...facts, server };
}

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
  readonly events: readonly JournalEvent[];
}

/** Reads the resource `task://{id}/journal`; an entry that is not an event is left out. */
export function parseTaskJournal(value: Json): TaskJournal | undefined {
  const fields = JsonFields.of(value);
  const lastSeq = fields?.number("last_seq");
  if (fields === undefined || lastSeq === undefined) return undefined;
  return { lastSeq, events: fields.list("events").flatMap((event) => parseEvent(event) ?? []) };
}

function parseEvent(event: Json): JournalEvent | undefined {
  const fields = JsonFields.of(event);
  const [seq, type] = [fields?.number("seq"), fields?.text("type")];
  if (fields === undefined || seq === undefined || type === undefined) return undefined;
  return { seq, type, at: fields.text("at"), data: fields.without("seq", "at", "type") };
}
