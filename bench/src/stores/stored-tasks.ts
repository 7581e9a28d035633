import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { Instant, Lease, NewTask } from "@resumable-mcp/core/store";

/** A folder for a store, and how to get rid of it. */
export async function temporaryFolder(): Promise<{ readonly directory: string; readonly remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "resumable-bench-"));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** The present moment, for a store. */
export function now(): Instant {
  return { wallMs: Date.now(), monotonicMs: performance.now() };
}

let made = 0;

/** A task of a tool that does not exist, each with an id of its own. */
export function someTask(): NewTask {
  made += 1;
  const id = `bench-task-${String(made).padStart(8, "0")}-${process.pid}`;
  return {
    id,
    owner: "local:bench",
    tool: "bench",
    toolVersion: "1",
    key: id,
    input: { n: made },
    detached: false,
    ttlMs: 3_600_000,
  };
}

/** Makes a task and takes its lease, ready for checkpoints. */
export async function beginTask(store: Store): Promise<{ readonly lease: Lease; readonly lastSeq: number }> {
  const { snapshot } = await store.createTask({ task: someTask(), reuseResultMs: 0, now: now() });
  const { id } = snapshot.record;
  const acquired = await store.acquireLease({ taskId: id, worker: "bench", ttlMs: 60_000, now: now() });
  if (acquired === undefined) throw new Error(`No other worker should hold the lease of ${id}.`);
  const started = { type: "attempt_started", attempt: 1, worker: "bench", toolVersion: "1" } as const;
  const { record } = await store.commit({
    lease: acquired.lease,
    afterSeq: snapshot.record.lastSeq,
    events: [started],
    consume: [],
    now: now(),
  });
  return { lease: acquired.lease, lastSeq: record.lastSeq };
}

/** Commits so many checkpoints, one after the other. Resolves to the last seq. */
export async function checkpoints(store: Store, lease: Lease, afterSeq: number, count: number): Promise<number> {
  let seq = afterSeq;
  for (let index = 0; index < count; index++) {
    const state = { line: seq, words: seq * 7, note: "x".repeat(100) };
    const event = { type: "checkpoint", progress: seq, total: 1e9, state, message: `Processed ${seq}` } as const;
    const { record } = await store.commit({ lease, afterSeq: seq, events: [event], consume: [], now: now() });
    seq = record.lastSeq;
  }
  return seq;
}

/** Makes so many tasks that have already completed. */
export async function finishTasks(store: Store, count: number): Promise<void> {
  const atOnce = 50;
  for (let begun = 0; begun < count; begun += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - begun) }, () => finishTask(store)));
  }
}

/** Makes a task that has already completed, with so many checkpoints. Resolves to its id. */
export async function finishTask(store: Store, count = 0): Promise<string> {
  const { lease, lastSeq } = await beginTask(store);
  const afterSeq = await checkpoints(store, lease, lastSeq, count);
  const completed = { type: "completed", output: { ok: true } } as const;
  await store.commit({ lease, afterSeq, events: [completed], consume: [], now: now() });
  await store.releaseLease(lease);
  return lease.taskId;
}

/** Names the folder that the measures of one run share. */
export const sharedFolderVariable = "RESUMABLE_BENCH_SHARED";

/**
 * A folder that is filled by the first measure of a run that needs it, and used by the later ones too.
 *
 * @param fill leaves in the folder what its name says.
 */
export async function sharedFolder(name: string, fill: (directory: string) => Promise<void>): Promise<string> {
  const shared = process.env[sharedFolderVariable] ?? join(tmpdir(), `resumable-bench-${process.pid}`);
  const directory = join(shared, name);
  if (existsSync(directory)) return directory;
  const draft = `${directory}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  await fill(draft);
  renameSync(draft, directory);
  return directory;
}
