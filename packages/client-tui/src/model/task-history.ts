import type { JournalEvent, Json, JsonObject, TaskJournal } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import { asObject, textOf } from "../json.js";
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
  yielded: "another caller's turn",
  waiting: "a wait",
  retry: "a failure",
  crashed: "a crash",
  interrupted: "an interruption",
};

/** Tells a journal: checkpoints that follow each other are one line, and an attempt says after what it began. */
export function readHistory(journal: TaskJournal | undefined): TaskHistory {
  if (journal === undefined) return { timeline: [], steps: [], log: [] };
  const timeline: HistoryLine[] = [];
  let place: Place = { progress: 0 };
  for (const event of journal.events) {
    if (event.type === "checkpoint") {
      place = passCheckpoint(place, event);
      continue;
    }
    const text = Object.hasOwn(texts, event.type) ? texts[event.type]?.(event.data, place) : undefined;
    if (text !== undefined) timeline.push(...runLine(place), lineOf(event, text));
    place = passEvent(place, event, text !== undefined);
  }
  timeline.push(...runLine(place));
  const steps = journal.events
    .filter(({ type }) => type === "step")
    .map((event) => lineOf(event, word(event.data, "key")));
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

/** The text of an event; the log and the steps have their own lists, and other events none. */
const texts: Readonly<Record<string, (data: JsonObject, place: Place) => string | undefined>> = {
  created: () => "created",
  attempt_started: (data, { ended, progress }) =>
    `attempt ${word(data, "attempt")}${ended === undefined ? "" : ` after ${endings[ended] ?? ended} at ${progress}`}`,
  // A planned end says nothing that the next attempt does not say; a failure has its reason.
  attempt_ended: ({ error }) =>
    word(error, "message") === "" ? undefined : `attempt failed: ${word(error, "message")}`,
  step: (data) => `step ${word(data, "key")}`,
  sleep: (data) => `sleeps until ${word(data, "until")}`,
  asked: ({ question }) => `asks: ${word(question, "message")}`,
  answered: ({ answer }) => `answered: ${word(answer, "action")}`,
  desiredState: ({ desiredState }) => (desiredState === "pause" ? "pause requested" : "resume requested"),
  detached: () => "detached: needs no caller",
  restarted: (data) => `generation ${word(data, "generation")} begins`,
  failed: ({ error }) => `failed: ${word(error, "message")}`,
  snapshot: () => "earlier events are no longer kept",
  completed: () => "completed",
  cancelled: () => "cancelled",
};

function logLine({ type, seq, data }: JournalEvent): readonly LogLine[] {
  return type === "log" ? [{ level: String(data.level), text: plainText(textOf(data.data)), seq }] : [];
}

function word(of: Json | undefined, name: string): string {
  const value = asObject(of)?.[name];
  return value === undefined ? "" : String(value);
}

/** The log of the journal and what came live since, each line once. */
export function wholeLog(history: TaskHistory, live: readonly LogLine[]): readonly LogLine[] {
  const lastSeq = history.log.at(-1)?.seq ?? 0;
  return [...history.log, ...live.filter(({ seq }) => seq === undefined || seq > lastSeq)];
}
