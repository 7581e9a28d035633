import { isFinal } from "@resumable-mcp/client";
import { type BoardTask, isAway } from "./board-task.js";

/** What a user can ask for with one task. */
export type TaskVerb = "pause" | "resume" | "cancel" | "answer" | "forget";

/** Tells whether a request makes sense for a task as it is now: only then its key is offered. */
export function canDo(verb: TaskVerb, task: BoardTask): boolean {
  const { status, interrupted, questions, error } = task.info;
  if (verb === "forget") return true;
  if (task.gone === true || isAway(task)) return false;
  switch (verb) {
    case "pause":
      return !interrupted && task.requested !== "pause" && ["pending", "running", "input_required"].includes(status);
    case "resume":
      return interrupted || status === "paused" || (status === "failed" && error?.continues !== "never");
    case "cancel":
      return !isFinal(status) && task.requested !== "cancel";
    case "answer":
      return !isFinal(status) && questions.length > 0;
  }
}

/** Tells whether a task was cut off, so that resuming it needs no second thought: what was paused was paused on purpose. */
export function wasInterrupted(task: BoardTask): boolean {
  return task.info.interrupted && canDo("resume", task);
}
