import { isFinal } from "@resumable-mcp/core";
import type { ShownTask } from "./shown-task.js";

/** Of which time a list shows tasks: those that started or ended in it, and those that have not ended. */
export const listRanges = ["all", "hour", "day"] as const;

/** One of the times. */
export type ListRange = (typeof listRanges)[number];

/** How long a time is, in milliseconds. */
const rangeMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** The times in English. */
export const rangeTexts: Readonly<Record<ListRange, string>> = { all: "Any time", hour: "Last hour", day: "Last day" };

/** Time between two reads of what a list shows of a time, in milliseconds. */
const readEveryMs = 5_000;

/** The end of the time that is read now, in whole steps. Both are milliseconds since 1970. */
export function rangeEndMs(nowMs: number): number {
  return Math.ceil(nowMs / readEveryMs) * readEveryMs;
}

/** Those of some tasks that belong to the time before `endMs`. */
export function inRange<Task extends ShownTask>(
  tasks: Iterable<Task>,
  range: ListRange,
  endMs: number,
): readonly Task[] {
  if (range === "all") return [...tasks];
  const sinceMs = endMs - rangeMs[range];
  return [...tasks].filter(({ info: { status, createdAt = "", finishedAt = "" } }) => {
    return !isFinal(status) || Date.parse(finishedAt) >= sinceMs || Date.parse(createdAt) >= sinceMs;
  });
}

/** What happened to tasks: they started, ended well or were cancelled, failed. */
export const activityKinds = ["started", "ended", "failed"] as const;

/** How many tasks each of it happened to. */
export type ActivityCounts = Readonly<Record<(typeof activityKinds)[number], number>>;

/** What happened in the parts of a time, as a chart shows it. */
export interface Activity {
  /** The parts, oldest first. */
  readonly bars: readonly (ActivityCounts & { readonly fromMs: number })[];
  readonly total: ActivityCounts;
  /** The height of the chart: the highest of all counts, and never 0. */
  readonly highest: number;
}

/** Bars of a chart. */
const barCount = 30;
const nothing: ActivityCounts = { started: 0, ended: 0, failed: 0 };

/** Counts what happened to some tasks in the hour or day before `endMs`. */
export function countActivity(tasks: Iterable<ShownTask>, range: Exclude<ListRange, "all">, endMs: number): Activity {
  const barMs = rangeMs[range] / barCount;
  // Whole bars: they keep their place while time passes.
  const firstMs = (Math.floor(endMs / barMs) + 1 - barCount) * barMs;
  const bars = Array.from({ length: barCount }, (_, index) => ({ ...nothing, fromMs: firstMs + index * barMs }));
  const total = { ...nothing };
  const add = (at: string | undefined, kind: keyof ActivityCounts) => {
    const bar = bars[Math.floor((Date.parse(at ?? "") - firstMs) / barMs)];
    if (bar === undefined) return;
    bar[kind] += 1;
    total[kind] += 1;
  };
  for (const { info } of tasks) {
    add(info.createdAt, "started");
    if (isFinal(info.status)) add(info.finishedAt, info.status === "failed" ? "failed" : "ended");
  }
  const highest = Math.max(1, ...bars.flatMap((bar) => activityKinds.map((kind) => bar[kind])));
  return { bars, total, highest };
}

/** Counts in English. */
export function activityText({ started, ended, failed }: ActivityCounts): string {
  return `${started} started, ${ended} ended, ${failed} failed`;
}
