import type { Tables, TaskRow } from "./tables.js";

/** Heartbeats that stood still, as a store's statements are given them. */
export type Standing = readonly [
  workers: readonly string[],
  beats: readonly number[],
  stoodMs: readonly (number | null)[],
];

/** Whether a worker's heartbeat stood still for at least a time, as the asking process saw it. */
export function stoodStill(
  [workers, beats, stoodMs]: Standing,
  { worker, beat, forMs }: { readonly worker: string; readonly beat: number; readonly forMs: number },
): boolean {
  return workers.some((name, place) => name === worker && beats[place] === beat && (stoodMs[place] ?? 0) >= forMs);
}

/** Whether a live worker holds a task's lease, as the asking process saw it. */
export function isLeased(tables: Tables, { holder, lease_ttl_ms }: TaskRow, standing: Standing): boolean {
  const beat = holder === null ? undefined : tables.worker.get(holder)?.beat;
  if (holder === null || beat === undefined) return false;
  return !stoodStill(standing, { worker: holder, beat, forMs: lease_ttl_ms ?? 0 });
}
