import {
  type ActiveTask,
  type ClientEvent,
  isFinal,
  shownPercent,
  type TaskInfo,
  type TaskResult,
} from "@resumable-mcp/client";
import type { TaskJournal, TaskStatus } from "@resumable-mcp/protocol";
import {
  type Away,
  addSample,
  formatDuration,
  isAway,
  isMoving,
  isUnfinished,
  type LogLine,
  type PacedTask,
  statusWord,
  stillRequested,
} from "@resumable-mcp/protocol/display";
import { withCommands } from "../advice.js";
import { plainText } from "../display/plain-text.js";
import { serverLabel } from "../display/server-label.js";
import { resultPreview } from "../display/task-status.js";
import { toText } from "../json.js";

export { isAway, isMoving, isUnfinished, type LogLine, stillRequested };

/** A task as the screen shows it: what its server said last, and what came since. */
export interface BoardTask extends PacedTask {
  readonly info: TaskInfo;
  /** What its server is called, where the user gave it a name. */
  readonly serverName?: string;
  readonly log: readonly LogLine[];
  readonly result?: TaskResult;
  readonly journal?: TaskJournal;
  /** Why it cannot be followed any more. */
  readonly problem?: string;
}

/** A task of which nothing has happened yet on this screen. */
export function newBoardTask(info: TaskInfo): BoardTask {
  return { info, log: [], pace: [] };
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
    percent: shownPercent(task.current_step, total),
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
      return addLog(task, event.level, toText(event.data), event);
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
    percent: shownPercent(progress, total) ?? task.info.percent,
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
export function taskServer({ info, serverName }: BoardTask): string {
  return serverLabel({ address: info.server, name: serverName });
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
