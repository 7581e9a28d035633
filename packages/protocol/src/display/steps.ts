import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import type { JournalEvent } from "../task-journal.js";
import { formatDuration } from "./numbers.js";
import { plainText } from "./plain-text.js";

/** What a task did or waited for under one key. Every text in it is one harmless line. */
export interface StepLine {
  /** Place of its first event in the journal. */
  readonly seq: number;
  /** A map is one line from its first commit to its last, and each of its items that failed for good another. */
  readonly kind: "step" | "call" | "sleep" | "question" | "map" | "item";
  readonly name: string;
  /** What it returned, or the action of an answer, shortened; absent: it has not ended. */
  readonly value?: string;
  /** Why its last attempt failed. */
  readonly failure?: string;
  /** Its attempts, or the time of its wait, oldest first. */
  readonly attempts: readonly StepTime[];
}

/** One attempt of a step, in milliseconds since 1970. */
export interface StepTime {
  readonly fromMs: number;
  /** Absent: it has not ended. */
  readonly toMs?: number;
  readonly failed: boolean;
}

/** Reads the steps, calls, sleeps, questions and maps of a journal, in the order in which they began to leave something. */
export function readSteps(events: readonly JournalEvent[]): readonly StepLine[] {
  const lines: StepLine[] = [];
  const open = new Map<string, number>();
  const put = (
    event: JournalEvent,
    kind: StepLine["kind"],
    change: (line: StepLine) => Partial<StepLine>,
    ends = true,
  ) => {
    const name = word(event.data, "key");
    const index = open.get(name) ?? lines.length;
    const line = lines[index] ?? { seq: event.seq, kind, name, attempts: [] };
    lines[index] = { ...line, ...change(line) };
    if (ends) open.delete(name);
    else open.set(name, index);
  };
  for (const event of events) {
    const { type, data, at = "" } = event;
    const atMs = Date.parse(at);
    if (type === "step" || type === "step_failed") put(event, "step", stepAfter(event, atMs), type === "step");
    else if (type === "sleep")
      put(event, "sleep", () => ({
        value: `until ${word(data, "until")}`,
        attempts: [{ fromMs: atMs, toMs: Date.parse(word(data, "until")), failed: false }],
      }));
    else if (type === "called")
      put(
        event,
        "call",
        ({ attempts }) => ({ failure: undefined, attempts: [...attempts, { fromMs: atMs, failed: false }] }),
        false,
      );
    else if (type === "returned")
      put(event, "call", ({ attempts }) => ({ value: valueText(data), attempts: endedAt(atMs, attempts, false) }));
    else if (type === "call_failed")
      put(
        event,
        "call",
        ({ attempts }) => ({ failure: word(data.error, "message"), attempts: endedAt(atMs, attempts, true) }),
        false,
      );
    else if (type === "asked") put(event, "question", () => ({ attempts: [{ fromMs: atMs, failed: false }] }), false);
    else if (type === "answered")
      put(event, "question", ({ attempts: [begun] }) => ({
        value: word(data.answer, "action"),
        attempts: [{ fromMs: begun?.fromMs ?? atMs, toMs: atMs, failed: false }],
      }));
    else if (type === "checkpoint" && isJsonObject(data.map))
      put({ ...event, data: data.map }, "map", mapAt(atMs, data.map), data.map.done === true);
    else if (type === "log" && isJsonObject(data.error)) lines.push(failedItem(event, atMs));
    // What is asked and tried again after a restart from nothing is another one.
    else if (type === "restarted" && data.fromState !== true) open.clear();
  }
  return lines;
}

/** A step in one English line: its name, its value or failure, its time, and its attempts where there were more than one. */
export function stepText({ name, value, failure, attempts }: StepLine): string {
  const times = attempts.length > 1 ? [`${attempts.length} attempts`] : [];
  const took = attempts.reduce((sum, { fromMs, toMs = fromMs }) => sum + Math.max(0, toMs - fromMs), 0);
  const said = value ?? (failure === undefined ? "…" : `failed: ${failure}`);
  return [said === "" ? name : `${name}: ${said}`, ...(took > 0 ? [formatStepTime(took)] : []), ...times].join(" · ");
}

/** Says a short duration for people: `250ms`, `1.2s`, then as {@link formatDuration}. */
export function formatStepTime(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))}ms`;
  return milliseconds < 9_950 ? `${(milliseconds / 1_000).toFixed(1)}s` : formatDuration(milliseconds);
}

/** A step after one of its attempts. */
function stepAfter({ type, data }: JournalEvent, atMs: number): (line: StepLine) => Partial<StepLine> {
  const failed = type === "step_failed";
  const said = failed ? { failure: word(data.error, "message") } : { value: valueText(data), failure: undefined };
  return ({ attempts }) => ({ ...said, attempts: [...attempts, attemptBefore(atMs, data, failed)] });
}

/** A map after a commit; what it returns in the end is what its line has. */
function mapAt(toMs: number, { at, failed }: JsonObject): (line: StepLine) => Partial<StepLine> {
  const value = JSON.stringify({ completed: Number(at) - Number(failed), failed });
  return ({ attempts: [begun] }) => ({ value, attempts: [{ fromMs: begun?.fromMs ?? toMs, toMs, failed: false }] });
}

/** The line of the log by which a map that collects its failures names an item; no other has an error. */
function failedItem({ seq, data }: JournalEvent, atMs: number): StepLine {
  const failure = word(data.error, "message");
  const name = word(data, "data").replace(/ failed: .*/, "");
  return { seq, kind: "item", name, failure, attempts: [{ fromMs: atMs, toMs: atMs, failed: true }] };
}

/** The last of the times ends. */
function endedAt(toMs: number, attempts: readonly StepTime[], failed: boolean): readonly StepTime[] {
  const { fromMs = toMs } = attempts.at(-1) ?? {};
  return [...attempts.slice(0, -1), { fromMs, toMs, failed }];
}

/** A step's events are written when an attempt ends. */
function attemptBefore(toMs: number, { ms }: JsonObject, failed: boolean): StepTime {
  return { fromMs: toMs - (typeof ms === "number" && ms > 0 ? ms : 0), toMs, failed };
}

/** Characters of a step's value that are shown. */
const maxValueCharacters = 400;
/** A history is read at each drawing, and a value may be large. */
const shownValues = new WeakMap<JsonObject, string>();

function valueText(data: JsonObject): string {
  const known = shownValues.get(data);
  const text = data.value === undefined ? "" : JSON.stringify(data.value);
  const value = known ?? plainText(text.slice(0, maxValueCharacters));
  if (known === undefined) shownValues.set(data, value);
  return value;
}

/** A property of an event as one harmless line. */
export function word(of: Json | undefined, name: string): string {
  const value = isJsonObject(of) ? of[name] : undefined;
  return value === undefined ? "" : plainText(String(value));
}
