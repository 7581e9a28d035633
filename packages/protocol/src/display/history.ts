import type { JsonObject } from "@resumable-mcp/core";
import type { JournalEvent, TaskJournal } from "../task-journal.js";
import { plainText } from "./plain-text.js";
import { readSteps, type StepLine, word } from "./steps.js";

/** One line of what happened to a task. */
export interface HistoryLine {
  readonly key: number;
  /** ISO 8601 UTC. */
  readonly at?: string;
  readonly moment: TaskMoment;
}

/** One line of a task's log. */
export interface LogLine {
  /** ISO 8601 UTC. */
  readonly at?: string | undefined;
  readonly level: string;
  readonly text: string;
  /** Place in the journal, where it is known: a line that the journal has too is shown once. */
  readonly seq?: number;
}

/** The levels by which people narrow a log, from the least severe. */
export const shownLevels = ["debug", "info", "warning", "error"] as const;

/** One of the levels. */
export type ShownLevel = (typeof shownLevels)[number];

/** The level that a line counts as: `notice` as `info`, and what is worse than `error` as that. */
export function shownLevel(level: string): ShownLevel {
  return shownLevels.find((one) => one === (level === "notice" ? "info" : level)) ?? "error";
}

/** Tells whether a log from this level on shows a line. */
export function isShownAt(least: ShownLevel, { level }: LogLine): boolean {
  return shownLevels.indexOf(shownLevel(level)) >= shownLevels.indexOf(least);
}

/** What people are shown of a journal. Every text in it is one harmless line. */
export interface TaskHistory {
  readonly timeline: readonly HistoryLine[];
  readonly steps: readonly StepLine[];
  readonly log: readonly LogLine[];
}

/** What happened to a task at one time, without the words of a language. */
export type TaskMoment =
  | { readonly kind: "created" | "detached" | "caller_left" | "snapshot" | "completed" | "cancelled" }
  | { readonly kind: "checkpoints"; readonly count: number; readonly from: number; readonly to: number }
  | {
      readonly kind: "attempt";
      readonly attempt: string;
      /** Why the attempt before it ended, and how far that came. */
      readonly after?: string;
      readonly progress: number;
      /** Another process continues what one left behind that died. */
      readonly takenOver: boolean;
    }
  | { readonly kind: "asked"; readonly message: string }
  | { readonly kind: "attempt_failed" | "failed"; readonly message: string; readonly stack: readonly string[] }
  | { readonly kind: "step" | "returned" | "received"; readonly key: string }
  | { readonly kind: "called"; readonly key: string; readonly tool: string }
  | { readonly kind: "call_failed"; readonly key: string; readonly message: string }
  | {
      readonly kind: "step_failed";
      readonly key: string;
      readonly attempt: string;
      readonly message: string;
      readonly stack: readonly string[];
    }
  | { readonly kind: "artifact"; readonly key: string }
  | { readonly kind: "sleep"; readonly until: string }
  | { readonly kind: "answered"; readonly action: string }
  | { readonly kind: "requested"; readonly state: "pause" | "resume" }
  | { readonly kind: "restarted"; readonly generation: string };

/** The state of the fold, from which the next line is made. */
interface HistoryState {
  readonly progress: number;
  /** Why the last attempt ended, and which process ran it. */
  readonly ended?: string;
  readonly worker?: string;
  /** Checkpoints since the last line of another kind. */
  readonly run?: { readonly first: JournalEvent; readonly from: number; readonly count: number };
}

/**
 * Tells a journal: checkpoints that follow each other are one line, and an attempt says after what it began.
 *
 * @param answered keys of the questions whose answer the task has not taken yet.
 */
export function readHistory(journal: TaskJournal | undefined, answered: readonly string[] = []): TaskHistory {
  if (journal === undefined) return { timeline: [], steps: [], log: [] };
  const timeline: HistoryLine[] = [];
  let state: HistoryState = { progress: 0 };
  for (const event of journal.events) {
    if (event.type === "checkpoint") {
      state = passCheckpoint(state, event);
      continue;
    }
    const moment = Object.hasOwn(moments, event.type) ? moments[event.type]?.(event.data, state) : undefined;
    if (moment !== undefined) timeline.push(...runLine(state), lineOf(event, moment));
    state = passEvent(state, event, moment !== undefined);
  }
  timeline.push(...runLine(state));
  for (const [index, key] of answered.entries())
    timeline.push({ key: journal.lastSeq + 1 + index, moment: { kind: "received", key: plainText(key) } });
  return { timeline, steps: readSteps(journal.events), log: journal.events.flatMap(logLine) };
}

function passCheckpoint(state: HistoryState, event: JournalEvent): HistoryState {
  const progress = typeof event.data.progress === "number" ? event.data.progress : state.progress;
  const { first, from, count } = state.run ?? { first: event, from: progress, count: 0 };
  return { ...state, progress, run: { first, from, count: count + 1 } };
}

function passEvent(state: HistoryState, { type, data }: JournalEvent, shown: boolean): HistoryState {
  const { run, ended, progress, worker } = state;
  const kept = shown ? undefined : run;
  if (type === "attempt_ended") return { progress, run: kept, worker, ended: String(data.reason) };
  if (type === "attempt_started") return { progress, run: kept, worker: String(data.worker) };
  return { progress: type === "restarted" && data.fromState !== true ? 0 : progress, run: kept, ended, worker };
}

function runLine({ run, progress }: HistoryState): readonly HistoryLine[] {
  if (run === undefined) return [];
  return [lineOf(run.first, { kind: "checkpoints", count: run.count, from: run.from, to: progress })];
}

function lineOf({ seq, at }: JournalEvent, moment: TaskMoment): HistoryLine {
  return { key: seq, moment, at };
}

/** The ends that no process wrote down itself. */
const cuts: ReadonlySet<string> = new Set(["crashed", "interrupted"]);

/** Tells whether an attempt ended because its process died. */
export function wasCutOff(reason: string | undefined): boolean {
  return reason !== undefined && cuts.has(reason);
}

/** What is shown of an event; the log and the steps have their own lists, and other events none. */
const moments: Readonly<Record<string, (data: JsonObject, state: HistoryState) => TaskMoment | undefined>> = {
  created: () => ({ kind: "created" }),
  attempt_started: (data, { ended, progress, worker }) => ({
    kind: "attempt",
    attempt: word(data, "attempt"),
    after: ended === undefined ? undefined : plainText(ended),
    progress,
    takenOver: wasCutOff(ended) && worker !== undefined && worker !== String(data.worker),
  }),
  // A planned end says nothing that the next attempt does not say; a failure has its reason.
  attempt_ended: (data) => {
    const message = word(data.error, "message");
    return message === "" ? undefined : { kind: "attempt_failed", message, stack: stackLines(data) };
  },
  step: (data) => ({ kind: "step", key: word(data, "key") }),
  step_failed: (data) => {
    const message = word(data.error, "message");
    return {
      kind: "step_failed",
      key: word(data, "key"),
      attempt: word(data, "attempt"),
      message,
      stack: stackLines(data),
    };
  },
  called: (data) => ({ kind: "called", key: word(data, "key"), tool: word(data, "tool") }),
  returned: (data) => ({ kind: "returned", key: word(data, "key") }),
  call_failed: (data) => ({ kind: "call_failed", key: word(data, "key"), message: word(data.error, "message") }),
  artifact: (data) => ({ kind: "artifact", key: word(data, "key") }),
  sleep: (data) => ({ kind: "sleep", until: word(data, "until") }),
  asked: ({ question }) => ({ kind: "asked", message: word(question, "message") }),
  answered: ({ answer }) => ({ kind: "answered", action: word(answer, "action") }),
  desiredState: ({ desiredState, cause }) =>
    cause === "caller_left"
      ? { kind: cause }
      : { kind: "requested", state: desiredState === "pause" ? "pause" : "resume" },
  detached: () => ({ kind: "detached" }),
  restarted: (data) => ({ kind: "restarted", generation: word(data, "generation") }),
  failed: (data) => ({ kind: "failed", message: word(data.error, "message"), stack: stackLines(data) }),
  snapshot: () => ({ kind: "snapshot" }),
  completed: () => ({ kind: "completed" }),
  cancelled: () => ({ kind: "cancelled" }),
};

/** Where a tool threw; nothing where its server hides it. */
function stackLines({ stack }: JsonObject): readonly string[] {
  return typeof stack === "string" ? stack.split("\n").map((line) => plainText(line)) : [];
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

/** Why an attempt ended, in English. */
export function endingText(reason: string): string {
  return Object.hasOwn(endings, reason) ? (endings[reason] ?? reason) : reason;
}

/** One line of a history in English. */
export function momentText(moment: TaskMoment): string {
  switch (moment.kind) {
    case "checkpoints":
      return moment.count === 1
        ? `checkpoint at ${moment.to}`
        : `${moment.count} checkpoints, ${moment.from} to ${moment.to}`;
    case "attempt": {
      const { attempt, after, progress } = moment;
      return `attempt ${attempt}${after === undefined ? "" : ` after ${endingText(after)} at ${progress}`}`;
    }
    case "attempt_failed":
      return `attempt failed: ${moment.message}`;
    case "failed":
      return `failed: ${moment.message}`;
    case "asked":
      return `asks: ${moment.message}`;
    case "step":
      return `step ${moment.key}`;
    case "step_failed":
      return `step ${moment.key}: attempt ${moment.attempt} failed: ${moment.message}`;
    case "called":
      return `call ${moment.key} of ${moment.tool}`;
    case "returned":
      return `call ${moment.key} returned`;
    case "call_failed":
      return `call ${moment.key} failed: ${moment.message}`;
    case "artifact":
      return `artifact ${moment.key}`;
    case "sleep":
      return `sleeps until ${moment.until}`;
    case "answered":
      return `answered: ${moment.action}`;
    case "received":
      return `answer to ${moment.key} received`;
    case "requested":
      return `${moment.state} requested`;
    case "restarted":
      return `generation ${moment.generation} begins`;
    default:
      return plainMoments[moment.kind];
  }
}

const plainMoments = {
  created: "created",
  detached: "detached: needs no caller",
  caller_left: "paused: its caller left",
  snapshot: "earlier events are no longer kept",
  completed: "completed",
  cancelled: "cancelled",
} as const;

function logLine({ type, seq, at, data }: JournalEvent): readonly LogLine[] {
  if (type !== "log") return [];
  const text = typeof data.data === "string" ? data.data : JSON.stringify(data.data ?? null);
  return [{ level: plainText(String(data.level)), text: plainText(text), seq, at }];
}
