import { isFinal, type TaskStatus } from "@resumable-mcp/core";
import type { TaskFacts } from "../task-object.js";

/** Why a server is out of reach, and since when in milliseconds since 1970. Until then the clocks of its tasks run. */
export interface Away {
  readonly reason: string;
  readonly sinceMs: number;
}

/** A task as a client shows it: what its server said last, and what the client knows besides. */
export interface ShownTask {
  readonly info: TaskFacts;
  /** Its server does not know it any more. */
  readonly gone?: true;
  /** Its server has not answered yet: this is what the client remembers of it. */
  readonly remembered?: true;
  /** Its server is out of reach. */
  readonly away?: Away;
  /** What was asked of it and has not happened yet. */
  readonly requested?: "pause" | "cancel";
}

/** Tells whether something can still be done with a task. */
export function isUnfinished({ info, gone }: ShownTask): boolean {
  return gone !== true && !isFinal(info.status);
}

/** Tells whether what is shown of an unfinished task is only what was last seen: its server is out of reach. */
export function isAway(task: ShownTask): boolean {
  return isUnfinished(task) && (task.away !== undefined || task.remembered === true);
}

/** Tells whether a task is at work at this moment, as far as its server says. */
export function isMoving(task: ShownTask): boolean {
  return task.info.status === "running" && !task.info.interrupted && !isAway(task);
}

/** A request is over when the task stands still or has ended. */
export function stillRequested({ requested }: ShownTask, status: TaskStatus): ShownTask["requested"] {
  return status === "paused" || isFinal(status) ? undefined : requested;
}

/** How long a task takes, or took; the clock of one that stands still, or that is out of reach, stands still too. */
export function shownElapsedMs(task: ShownTask, nowMs: number): number | undefined {
  const { createdAt } = task.info;
  return createdAt === undefined ? undefined : Math.max(0, clockEndMs(task, nowMs) - Date.parse(createdAt));
}

function clockEndMs(task: ShownTask, nowMs: number): number {
  const { info, away, remembered } = task;
  const { status, interrupted, finishedAt, updatedAt } = info;
  const stands = isFinal(status) || status === "paused" || interrupted || remembered === true;
  const end = isFinal(status) ? (finishedAt ?? updatedAt) : updatedAt;
  if (stands && end !== undefined) return Date.parse(end);
  return isUnfinished(task) && away !== undefined ? Math.min(away.sinceMs, nowMs) : nowMs;
}

/** What a user can ask for with one task. */
export type TaskVerb = "pause" | "resume" | "cancel" | "answer" | "delete";

/** Tells whether a request makes sense for a task as it is now: only then it is offered. */
export function canDo(verb: TaskVerb, task: ShownTask): boolean {
  const { status, interrupted, questions, error } = task.info;
  if (verb === "delete") return true;
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
export function wasInterrupted(task: ShownTask): boolean {
  return task.info.interrupted && canDo("resume", task);
}
