import {
  type ActiveTask,
  type ClientEvent,
  isFinal,
  percentOf,
  type TaskInfo,
  type TaskJournal,
  type TaskResult,
  type TaskStatus,
} from "@resumable-mcp/client";
import { withCommands } from "../advice.js";
import { plainText } from "../display/plain-text.js";
import { formatDuration } from "../display/progress-line.js";
import { serverLabel } from "../display/server-label.js";
import { resultPreview, statusWord } from "../display/task-status.js";
import { textOf } from "../json.js";
import { addSample, type Pace } from "./pace.js";

/** One line of a task's log. */
export interface LogLine {
  readonly level: string;
  readonly text: string;
  /** Place in the journal, where it is known: a line that the journal has too is shown once. */
  readonly seq?: number;
}

/** A task as the screen shows it: what its server said last, and what came since. */
export interface BoardTask {
  readonly info: TaskInfo;
  /** What its server is called, where the user gave it a name. */
  readonly serverName?: string;
  readonly log: readonly LogLine[];
  readonly pace: Pace;
  readonly result?: TaskResult;
  readonly journal?: TaskJournal;
  /** Why it cannot be followed any more. */
  readonly problem?: string;
  /** Its server does not know it any more. */
  readonly gone?: true;
  /** Its server has not answered yet: this is what the client remembers of it. */
  readonly remembered?: true;
  /** Its server is out of reach: why, and since when in milliseconds since 1970. Until then its clock runs. */
  readonly away?: Away;
  /** What was asked of it and has not happened yet. */
  readonly requested?: "pause" | "cancel";
}

/** Why a server is out of reach, and since when. */
export interface Away {
  readonly reason: string;
  readonly sinceMs: number;
}

/** A task of which nothing has happened yet on this screen. */
export function newBoardTask(info: TaskInfo): BoardTask {
  return { info, log: [], pace: [] };
}

/** Tells whether something can still be done with a task. */
export function isUnfinished({ info, gone }: BoardTask): boolean {
  return gone !== true && !isFinal(info.status);
}

/** Tells whether what is shown of an unfinished task is only what was last seen: its server is out of reach. */
export function isAway(task: BoardTask): boolean {
  return isUnfinished(task) && (task.away !== undefined || task.remembered === true);
}

/** Tells whether a task is at work at this moment, as far as its server says. */
export function isMoving(task: BoardTask): boolean {
  return task.info.status === "running" && !task.info.interrupted && !isAway(task);
}

/** A task whose server is out of reach; what was known of its pace is over. */
export function withAway(task: BoardTask, away: Away | undefined): BoardTask {
  return away === undefined ? { ...task, away } : { ...task, away: task.away ?? away, pace: [] };
}

/** Makes a task of what the state file remembers, for as long as its server does not answer. */
export function rememberedTask(task: ActiveTask): BoardTask {
  const total = task.total_steps ?? undefined;
  const info: TaskInfo = {
    id: task.task_id,
    tool: task.task_name,
    server: task.server_url,
    status: "pending",
    interrupted: false,
    progress: task.current_step,
    attempt: 0,
    generation: 1,
    itemCount: 0,
    lastSeq: 0,
    createdAt: task.started_at,
    updatedAt: task.last_update,
    questions: [],
    total,
    percent: percentOf(task.current_step, total),
    message: task.last_message ?? undefined,
  };
  return { ...newBoardTask(info), remembered: true };
}

/** Lines of log that are kept of one task. */
const maxLogLines = 200;

/** Applies an event to a task. */
export function applyEvent({ problem: _solved, ...task }: BoardTask, event: ClientEvent, atMs: number): BoardTask {
  switch (event.type) {
    case "progress":
      return applyProgress(task, event, atMs);
    case "log":
      return addLog(task, event.level, textOf(event.data), event);
    case "status":
      return applyStatus(task, event.status);
    case "question": {
      const others = task.info.questions.filter(({ key }) => key !== event.question.key);
      return { ...task, info: { ...task.info, status: "input_required", questions: [...others, event.question] } };
    }
    case "reconnecting":
      return withAway(task, { reason: event.reason, sinceMs: atMs });
    case "reconnected":
      return withAway(task, undefined);
    case "session_changed":
      return addLog(task, "notice", "server's session id changed; the task is kept");
    case "dropped":
      return addLog(task, "notice", `${event.count} log messages left out`);
  }
}

function applyStatus(task: BoardTask, status: TaskStatus): BoardTask {
  const questions = status === "input_required" ? task.info.questions : [];
  // While it stands still, time says nothing of its pace.
  const pace = status === "running" ? task.pace : [];
  return { ...task, pace, requested: stillRequested(task, status), info: { ...task.info, status, questions } };
}

/** A request is over when the task stands still or has ended. */
export function stillRequested({ requested }: BoardTask, status: TaskStatus): BoardTask["requested"] {
  return status === "paused" || isFinal(status) ? undefined : requested;
}

function applyProgress(task: BoardTask, event: Extract<ClientEvent, { type: "progress" }>, atMs: number): BoardTask {
  const { progress, total = task.info.total, message = task.info.message, seq = task.info.lastSeq } = event;
  // What moves is running, whatever the last list said.
  const moving = task.info.status === "pending" && event.snapshot !== true;
  const info: TaskInfo = {
    ...task.info,
    ...(moving ? { status: "running", interrupted: false } : {}),
    progress,
    lastSeq: seq,
    ...(event.snapshot === true ? {} : { updatedAt: new Date(atMs).toISOString() }),
    total,
    percent: percentOf(progress, total) ?? task.info.percent,
    message,
  };
  const pace = addSample(task.pace, { atMs, progress });
  const moved: BoardTask = { ...task, info, pace, away: undefined };
  return event.restarted === true ? addLog(moved, "notice", "starts over") : moved;
}

function addLog(task: BoardTask, level: string, text: string, { seq }: { readonly seq?: number } = {}): BoardTask {
  return { ...task, log: [...task.log.slice(1 - maxLogLines), { level, text: plainText(text), seq }] };
}

/** What the server of a task is called. */
export function serverOf({ info, serverName }: BoardTask): string {
  return serverLabel({ address: info.server, name: serverName });
}

/** How long a task takes, or took; the clock of one that stands still, or that is out of reach, stands still too. */
export function elapsedMsOf(task: BoardTask, nowMs: number): number | undefined {
  const { createdAt } = task.info;
  return createdAt === undefined ? undefined : Math.max(0, clockEndMs(task, nowMs) - Date.parse(createdAt));
}

function clockEndMs(task: BoardTask, nowMs: number): number {
  const { info, away, remembered } = task;
  const { status, interrupted, finishedAt, updatedAt } = info;
  const stands = isFinal(status) || status === "paused" || interrupted || remembered === true;
  const end = isFinal(status) ? (finishedAt ?? updatedAt) : updatedAt;
  if (stands && end !== undefined) return Date.parse(end);
  return isUnfinished(task) && away !== undefined ? Math.min(away.sinceMs, nowMs) : nowMs;
}

/** Time since the last update of a task: `2m05s ago`. */
export function ageText({ info }: BoardTask, nowMs: number): string {
  const at = info.updatedAt ?? info.createdAt;
  return at === undefined ? "" : `${formatDuration(nowMs - Date.parse(at))} ago`;
}

/** What there is to say of a task: its trouble first, then why it stands still, its message, its result. */
export function taskMessage(task: BoardTask): string {
  const { info, problem, remembered, result, requested } = task;
  if (problem !== undefined) return problem;
  if (remembered === true) return joinParts(["no answer yet; last seen", info.message]);
  if (isAway(task)) return joinParts(["server away", info.message]);
  if (info.status === "cancelled") return joinParts([statusWord(info.status), info.message]);
  if (isFinal(info.status))
    return joinParts([statusWord(info.status), info.error ? withCommands(info.error.message) : resultPreview(result)]);
  const message = info.status === "input_required" ? info.questions[0]?.message : info.message;
  if (requested !== undefined) return joinParts([requestWords[requested], message]);
  if (info.status === "running" && !info.interrupted) return message ?? "";
  return joinParts([statusWord(info.status, info.interrupted), message]);
}

/** What is said of a task between a request and what it asks for. */
export const requestWords: Readonly<Record<NonNullable<BoardTask["requested"]>, string>> = {
  pause: "pausing…",
  cancel: "cancelling…",
};

function joinParts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(": ");
}
