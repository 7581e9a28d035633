import { isFinal, type TaskError, type TaskResult, type TaskStatus } from "@resumable-mcp/client";
import type { BoardTask } from "../model/board-task.js";
import { plainText } from "./plain-text.js";
import { formatDuration } from "./progress-line.js";
import { serverLabel } from "./server-label.js";

/** A mark for each status that reads without colour. */
const marks: Readonly<Record<TaskStatus, string>> = {
  pending: "…",
  running: ">",
  paused: "=",
  input_required: "?",
  completed: "+",
  failed: "x",
  cancelled: "-",
};

/** The mark of a status; an interrupted task has its own. */
export function statusMark(status: TaskStatus, interrupted = false): string {
  return interrupted && (status === "running" || status === "pending") ? "!" : marks[status];
}

/** A status in words. */
export function statusWord(status: TaskStatus, interrupted = false): string {
  if (interrupted && (status === "running" || status === "pending")) return "interrupted";
  return status === "input_required" ? "asks you" : status;
}

/** What the server of a task is called. */
export function serverOf({ info, serverName }: BoardTask): string {
  return serverLabel({ address: info.server, name: serverName });
}

/** How long a task takes, or took. */
export function elapsedMsOf({ info }: BoardTask, nowMs: number): number | undefined {
  if (info.createdAt === undefined) return undefined;
  const ended = isFinal(info.status) ? (info.finishedAt ?? info.updatedAt) : undefined;
  const end = ended === undefined ? nowMs : Date.parse(ended);
  return Math.max(0, end - Date.parse(info.createdAt));
}

/** Time since the last update of a task: `2m05s ago`. */
export function ageText({ info }: BoardTask, nowMs: number): string {
  const at = info.updatedAt ?? info.createdAt;
  return at === undefined ? "" : `${formatDuration(nowMs - Date.parse(at))} ago`;
}

/** What there is to say of a task: its trouble first, then why it stands still, its message, its result. */
export function taskMessage(task: BoardTask): string {
  const { info, problem, reconnecting, remembered, result } = task;
  if (reconnecting !== undefined) return `reconnecting (${reconnecting})`;
  if (problem !== undefined) return problem;
  if (remembered === true) return joinParts(["no answer yet; last seen", info.message]);
  if (isFinal(info.status)) return joinParts([statusWord(info.status), info.error?.message ?? resultPreview(result)]);
  const message = info.status === "input_required" ? info.questions[0]?.message : info.message;
  if (info.status === "running" && !info.interrupted) return message ?? "";
  return joinParts([statusWord(info.status, info.interrupted), message]);
}

/** A result on one line. */
export function resultPreview(result: TaskResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  const text = result.structuredContent === undefined ? result.text : JSON.stringify(result.structuredContent);
  return plainText(text) === "" ? undefined : plainText(text);
}

function joinParts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(": ");
}

/** The command that continues a task. */
export function resumeCommand(taskId: string): string {
  return `resumable-mcp resume ${taskId}`;
}

/** What to type to continue a failed task; `undefined` where nothing continues it, or its server does not say. */
export function continueCommand(taskId: string, error: TaskError | undefined): string | undefined {
  const command = resumeCommand(taskId);
  if (error?.continues === "by_call") return `Run the same call again, or: ${command}`;
  return error?.continues === "by_resume" ? `Continue with: ${command}` : undefined;
}
