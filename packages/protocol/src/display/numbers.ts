import type { TaskFacts } from "../task-object.js";

/** How far something is. */
export type ProgressNumbers = Pick<TaskFacts, "progress" | "total" | "percent">;

/** Says how far something is: `30% (15/50)`, `(15/50)` or `(15)`; `100%` of what completed before it reported its last step, or any. */
export function progressNumbers({ progress, total, percent }: ProgressNumbers): string {
  if (percent === 100 && progress < (total ?? 1)) return "100%";
  if (total === undefined) return percent === undefined ? `(${progress})` : `${percent}% (${progress})`;
  return percent === undefined ? `(${progress}/${total})` : `${percent}% (${progress}/${total})`;
}

/** Says a duration for people: `12s`, `3m05s`, `2h01m`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** Says how fast something goes: `12/s`, `1.2/s`, or by the minute where it is slow. */
export function formatRate(perSecond: number): string {
  if (perSecond >= 9.95) return `${Math.round(perSecond)}/s`;
  if (perSecond >= 0.095) return `${perSecond.toFixed(1)}/s`;
  return `${(perSecond * 60).toFixed(1)}/m`;
}
