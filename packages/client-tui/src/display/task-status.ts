import type { TaskError, TaskResult, TaskStatus } from "@resumable-mcp/client";
import { withCommands } from "../advice.js";
import { plainText } from "./plain-text.js";

/** What a task is called: its tool, and what tells it from others of that tool. */
export function taskName({ tool, label }: { readonly tool: string; readonly label?: string }): string {
  return label === undefined ? tool : `${tool} (${label})`;
}

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

/** A result on one line: of a task that was cancelled or failed, the words of its server. */
export function resultPreview(result: TaskResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  const { status, structuredContent } = result;
  const isData = structuredContent !== undefined && (status === "completed" || result.text === "");
  const text = isData ? JSON.stringify(structuredContent) : withCommands(result.text);
  return plainText(text) === "" ? undefined : plainText(text);
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
