import { isFinal } from "@resumable-mcp/protocol";
import type { PanelTask } from "./panel-task.js";
import { type ListRange, rangeMs } from "./route.js";

/** What happened in one part of a time: tasks that started, that ended well or were cancelled, and that failed. */
export interface ActivityBar {
  readonly fromMs: number;
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
}

/** Bars of a chart. */
const barCount = 30;

/** Counts what happened to some tasks in the hour or day before `nowMs`, oldest first. */
export function countActivity(
  tasks: readonly PanelTask[],
  range: Exclude<ListRange, "all">,
  nowMs: number,
): readonly ActivityBar[] {
  const barMs = rangeMs[range] / barCount;
  // Whole bars: they keep their place while time passes.
  const endMs = (Math.floor(nowMs / barMs) + 1) * barMs;
  const bars = Array.from({ length: barCount }, (_, index) => {
    return { fromMs: endMs - (barCount - index) * barMs, started: 0, ended: 0, failed: 0 };
  });
  const add = (at: string | undefined, kind: "started" | "ended" | "failed") => {
    const bar = bars[Math.floor((Date.parse(at ?? "") - (bars[0]?.fromMs ?? 0)) / barMs)];
    if (bar !== undefined) bar[kind] += 1;
  };
  for (const { info } of tasks) {
    add(info.createdAt, "started");
    if (isFinal(info.status)) add(info.finishedAt, info.status === "failed" ? "failed" : "ended");
  }
  return bars;
}
