import type { TaskStatus } from "@resumable-mcp/client";

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
