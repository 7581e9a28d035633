import type { JournalEvent, Json, TaskJournal } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import type { LogLine } from "./board-task.js";

/** One line of what happened to a task. */
export interface HistoryLine {
  readonly key: number;
  /** ISO 8601 UTC. */
  readonly at?: string;
  readonly text: string;
}

/** What the screens show of a journal. */
export interface TaskHistory {
  readonly timeline: readonly HistoryLine[];
  readonly steps: readonly HistoryLine[];
  readonly log: readonly LogLine[];
}

/** The state of the fold, from which the next line is made. */
interface Place {
  readonly progress: number;
  /** Why the last attempt ended. */
  readonly ended?: string;
  /** Checkpoints since the last line of another kind. */
  readonly run?: { readonly first: JournalEvent; readonly from: number; readonly count: number };
}

const endings: Readonly<Record<string, string>> = {
  paused: "a pause",
  drained: "the server's shutdown",
  waiting: "a wait",
  retry: "a failure",
  crashed: "a crash",
  interrupted: "an interruption",
};

const emptyHistory: TaskHistory = { timeline: [], steps: [], log: [] };

/** Tells a journal: checkpoints that follow each other are one line, and an attempt says after what it began. */
export function readHistory(journal: TaskJournal | undefined): TaskHistory {
  if (journal === undefined) return emptyHistory;
  const timeline: HistoryLine[] = [];
  let place: Place = { progress: 0 };
  for (const event of journal.events) {
    if (event.type === "checkpoint") {
      place = passCheckpoint(place, event);
      continue;
    }
    const text = textOf(event, place);
    if (text !== undefined) timeline.push(...runLine(place), lineOf(event, text));
    place = passEvent(place, event, text !== undefined);
  }
  timeline.push(...runLine(place));
  const steps = journal.events.filter(({ type }) => type === "step").map((event) => lineOf(event, word(event, "key")));
  return { timeline, steps, log: journal.events.flatMap(logLine) };
}

function passCheckpoint(place: Place, event: JournalEvent): Place {
  const progress = typeof event.data.progress === "number" ? event.data.progress : place.progress;
  const { first, from, count } = place.run ?? { first: event, from: progress, count: 0 };
  return { ...place, progress, run: { first, from, count: count + 1 } };
}

function passEvent(place: Place, { type, data }: JournalEvent, shown: boolean): Place {
  const { run, ended, progress } = place;
  const kept = shown ? undefined : run;
  if (type === "attempt_ended") return { progress, run: kept, ended: String(data.reason) };
  if (type === "attempt_started") return { progress, run: kept };
  return { progress: type === "restarted" && data.fromState !== true ? 0 : progress, run: kept, ended };
}

function runLine({ run, progress }: Place): readonly HistoryLine[] {
  if (run === undefined) return [];
  const text = run.count === 1 ? `checkpoint at ${progress}` : `${run.count} checkpoints, ${run.from} to ${progress}`;
  return [lineOf(run.first, text)];
}

function lineOf({ seq, at }: JournalEvent, text: string): HistoryLine {
  return { key: seq, text: plainText(text), at };
}

/** The text of an event; the log and the steps have their own lists. */
function textOf(event: JournalEvent, { progress, ended }: Place): string | undefined {
  const { type, data } = event;
  switch (type) {
    case "created":
      return "created";
    case "attempt_started":
      return `attempt ${word(event, "attempt")}${ended === undefined ? "" : ` after ${endings[ended] ?? ended} at ${progress}`}`;
    case "attempt_ended":
      return endText(event);
    case "step":
      return `step ${word(event, "key")}`;
    case "sleep":
      return `sleeps until ${word(event, "until")}`;
    case "asked":
      return `asks: ${word(data.question, "message")}`;
    case "answered":
      return `answered: ${word(data.answer, "action")}`;
    case "desiredState":
      return data.desiredState === "pause" ? "pause requested" : "resume requested";
    case "detached":
      return "detached: needs no caller";
    case "restarted":
      return `generation ${word(event, "generation")} begins`;
    case "failed":
      return `failed: ${word(data.error, "message")}`;
    case "snapshot":
      return "earlier events are no longer kept";
    case "completed":
    case "cancelled":
      return type;
    default:
      return undefined;
  }
}

/** A planned end says nothing that the next attempt does not say; a failure has its reason. */
function endText({ data }: JournalEvent): string | undefined {
  const message = word(data.error, "message");
  return message === "" ? undefined : `attempt failed: ${message}`;
}

function logLine({ type, seq, data }: JournalEvent): readonly LogLine[] {
  if (type !== "log") return [];
  const text = typeof data.data === "string" ? data.data : JSON.stringify(data.data);
  return [{ level: String(data.level), text: plainText(text), seq }];
}

function word(of: JournalEvent | Json | undefined, name: string): string {
  const from = isEvent(of) ? of.data : of;
  const value =
    typeof from === "object" && from !== null && !Array.isArray(from)
      ? (from as Record<string, Json>)[name]
      : undefined;
  return value === undefined ? "" : String(value);
}

function isEvent(value: JournalEvent | Json | undefined): value is JournalEvent {
  return typeof value === "object" && value !== null && "seq" in value && "data" in value;
}

/** The log of the journal and what came live since, each line once. */
export function wholeLog(history: TaskHistory, live: readonly LogLine[]): readonly LogLine[] {
  const lastSeq = history.log.at(-1)?.seq ?? 0;
  return [...history.log, ...live.filter(({ seq }) => seq === undefined || seq > lastSeq)];
}
