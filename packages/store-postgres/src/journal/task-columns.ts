import type { TaskRecord } from "@resumable-mcp/core";
import { openQuestions, type Signal, summarise, type TaskEventBody } from "@resumable-mcp/core/store";
import { toHex } from "../database/hash.js";

/** Keys of open questions, each as its hash. */
export function readQuestions(record: TaskRecord): readonly string[] {
  return openQuestions(record).map(({ key }) => toHex(key));
}

/** {@link readQuestions} the record after a commit; looked up among all that is remembered only where it may differ. */
export function questionsAfter(
  before: readonly string[],
  events: readonly TaskEventBody[],
  record: TaskRecord,
): readonly string[] {
  const differ = events.some(({ type }) => type === "asked" || type === "answered" || type === "restarted");
  return differ ? readQuestions(record) : before;
}

/** The summary for lists, as JSON. */
export function toBrief(record: TaskRecord): string {
  return JSON.stringify(summarise(record, record.status));
}

/** Milliseconds since 1970 of a time of a record, `null` for none. */
export function parseMs(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

/** A signal as the task's row holds it: the text of an answer as JSON in a string, since `jsonb` does not hold every text. */
export interface SignalRow {
  readonly i: string;
  readonly k: Signal["kind"];
  readonly q?: string;
  readonly b?: string;
}

/** Reads the signals of a task's row, oldest first. */
export function readSignals(rows: readonly SignalRow[]): readonly Signal[] {
  return Object.freeze(
    rows.map(({ i: id, k: kind, b: body }): Signal => ({ id, kind, ...(body !== undefined && JSON.parse(body)) })),
  );
}

/** The part of a record that lists and workers choose by. */
export function toFold(record: TaskRecord, questions: readonly string[]) {
  return {
    last_seq: record.lastSeq,
    status: record.status,
    terminal: record.error?.terminal === true,
    live: record.live,
    pausing: record.desiredState === "pause",
    detached: record.detached,
    questions: JSON.stringify(questions),
    runnable_ms: parseMs(record.runnableAt),
    crashes: record.crashes,
    tool_version: JSON.stringify(record.toolVersion),
    finished_ms: parseMs(record.finishedAt),
    items_from_seq: record.itemsFromSeq,
    item_count: record.itemCount,
    brief: toBrief(record),
  };
}

/** What {@link toFold} gives. */
export type TaskFold = ReturnType<typeof toFold>;
