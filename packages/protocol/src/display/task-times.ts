import { isFinal } from "@resumable-mcp/core";
import { formatDuration, formatRate } from "./numbers.js";
import { type Pace, ratePerSecond, remainingMs } from "./pace.js";
import { isMoving, type ShownTask, shownElapsedMs } from "./shown-task.js";
import { taskName } from "./status-words.js";

/** A task of which it was seen how fast it moves. */
export interface PacedTask extends ShownTask {
  readonly pace: Pace;
}

/** How long a task takes, how long the rest of it takes, and how fast it moves, for people; absent where it is unknown. */
export interface TaskTimes {
  readonly elapsed?: string;
  readonly left?: string;
  readonly rate?: string;
}

/** The same as numbers; only what moves has a rate. */
export function taskPace(task: PacedTask, nowMs: number) {
  const pace = isMoving(task) ? task.pace : [];
  return {
    elapsedMs: shownElapsedMs(task, nowMs),
    leftMs: remainingMs(pace, task.info.total, nowMs),
    perSecond: ratePerSecond(pace),
  };
}

/** The times of a task. */
export function taskTimes(task: PacedTask, nowMs: number): TaskTimes {
  const { elapsedMs, leftMs, perSecond } = taskPace(task, nowMs);
  return {
    elapsed: elapsedMs === undefined ? undefined : formatDuration(elapsedMs),
    left: leftMs === undefined ? undefined : formatDuration(leftMs),
    rate: perSecond === undefined ? undefined : formatRate(perSecond),
  };
}

type Comparison<Task> = (left: Task, right: Task) => number;

const newest: Comparison<PacedTask> = (left, right) =>
  compareTexts(right.info.createdAt ?? "", left.info.createdAt ?? "");

/** The orders of tasks. */
export const taskOrders = {
  newest,
  name: (left, right) => compareTexts(taskName(left.info), taskName(right.info)),
  progress: (left, right) => (right.info.percent ?? -1) - (left.info.percent ?? -1),
  left: (left, right) => leftMs(left) - leftMs(right),
} as const satisfies Readonly<Record<string, Comparison<PacedTask>>>;

/** Tasks in an order, the newest of equals first; what runs or needs input always comes first, and what is over last. */
export function inOrder<Task extends PacedTask>(tasks: readonly Task[], compare: Comparison<Task>): readonly Task[] {
  const rank = ({ info: { status } }: Task) => {
    if (isFinal(status)) return 2;
    return status === "running" || status === "input_required" ? 0 : 1;
  };
  return tasks.toSorted((left, right) => rank(left) - rank(right) || compare(left, right) || newest(left, right));
}

/** What it is worth at the task's own last sign of life, so that the order does not depend on the moment. */
function leftMs({ pace, info }: PacedTask): number {
  return remainingMs(pace, info.total, pace.at(-1)?.atMs ?? 0) ?? Number.MAX_SAFE_INTEGER;
}

/** Ids, names and ISO times need no locale, and without one a long list is sorted many times faster. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
