import type { Json } from "@resumable-mcp/core";
import type { TaskEventBody } from "@resumable-mcp/core/store";

/** An attempt that begins. */
export const started: TaskEventBody = { type: "attempt_started", attempt: 1, worker: "worker-a", toolVersion: "1" };
/** The end of a task that succeeded. */
export const completed: TaskEventBody = { type: "completed", output: { words: 7 } };
/** The end of a task that failed. */
export const failed: TaskEventBody = {
  type: "failed",
  error: { code: "TOOL_FAILED", message: "The disk was removed." },
};
/** The end of a task that failed, and is not to be continued. */
export const terminal: TaskEventBody = {
  type: "failed",
  error: { code: "TOOL_FAILED", message: "There is no such city.", terminal: true },
};
/** The end of a task that was cancelled. */
export const cancelled: TaskEventBody = { type: "cancelled" };

/** A checkpoint at some progress. */
export function checkpoint(progress: number, items?: readonly Json[]): TaskEventBody {
  return { type: "checkpoint", progress, total: 100, state: { line: progress }, ...(items && { items }) };
}

/** A checkpoint of a map, after so many of its items. */
export function mapped(key: string, at: number, items?: readonly Json[]): TaskEventBody {
  return { type: "checkpoint", progress: at, map: { key, at, failed: 1, digest: `d${at}` }, ...(items && { items }) };
}

/** A new generation. */
export function restarted(generation: number, fromState: boolean): TaskEventBody {
  return { type: "restarted", generation, fromState };
}

/** A question of a task. */
export function asked(key: string): TaskEventBody {
  return { type: "asked", key, question: { message: "Go on?", schema: { type: "object" } } };
}
