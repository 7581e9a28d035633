import type { TaskStatus } from "@resumable-mcp/core";
import type { TaskError, TaskFacts } from "../task-object.js";

/** What a task is called: its tool, and what tells it from others of that tool. */
export function taskName(task: { readonly tool: string; readonly title?: string; readonly label?: string }): string {
  const tool = toolTitle(task);
  return task.label === undefined ? tool : `${tool} (${task.label})`;
}

/** What people call a task's tool. */
export function toolTitle({ tool, title }: { readonly tool: string; readonly title?: string }): string {
  return title === undefined || title.trim() === "" ? tool : title;
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
  return isCut(status, interrupted) ? "!" : marks[status];
}

/** How people are shown a task: its status, or that it was interrupted. */
export type ShownStatus = TaskStatus | "interrupted";

/** The status that people are shown: only what is not over can be interrupted. */
export function shownStatus(status: TaskStatus, interrupted = false): ShownStatus {
  return isCut(status, interrupted) ? "interrupted" : status;
}

/** A status in words. */
export function statusWord(status: TaskStatus, interrupted = false): string {
  const shown = shownStatus(status, interrupted);
  return shown === "input_required" ? "needs input" : shown;
}

function isCut(status: TaskStatus, interrupted: boolean): boolean {
  return interrupted && (status === "running" || status === "pending");
}

/** How far a failed task came, and what continues it. */
export const continuationTexts = {
  by_call: (far: string) => `Resume it, or call it again, to continue at ${far}.`,
  by_resume: (far: string) => `Resume continues at ${far}; the same call starts from the beginning.`,
  never: (far: string) => `It stopped at ${far}; the same call starts from the beginning.`,
} as const satisfies Readonly<Record<NonNullable<TaskError["continues"]>, (far: string) => string>>;

/** Of a task whose answer is on its way. */
export const answerReceivedText = "Your answer was received; the task takes it when it runs.";

/** Why a task waits though it may run. */
export function slotWaitText({ limit, running, until }: NonNullable<TaskFacts["waitsFor"]>): string {
  if (limit === "owner") return `Waits: ${running ?? "enough"} of your tasks run, as many as may at once.`;
  if (limit === "rate")
    return `Waits at least until ${momentUtc(until)}: as many tasks of this tool began as may in its time.`;
  const all = limit === "store" ? " on all servers" : "";
  return limit === "process"
    ? "Waits: the server runs as many tasks as it can."
    : `Waits: as many tasks of this tool run${all} as may at once.`;
}

/** A time as people read it, to the second: `2026-01-01 00:01:00 UTC`; of what is not a time: `later`. */
export function momentUtc(time = ""): string {
  const [, day, seconds] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(time) ?? [];
  return day === undefined ? "later" : `${day} ${seconds} UTC`;
}
