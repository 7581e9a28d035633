import type { Store } from "@resumable-mcp/core";
import type { Instant, Lease, NewTask, TaskEventBody } from "@resumable-mcp/core/store";

/** Small enough for journals to rotate and to be compacted within the work. */
export const crashLimits = { rotateBytes: 2_000, maxJournalFiles: 3, keepJournalFiles: 1, documentPauseMs: 0 };

/** Something that was acknowledged to a caller. */
export type Fact =
  | { readonly kind: "created"; readonly id: string }
  | { readonly kind: "committed"; readonly id: string; readonly lastSeq: number; readonly items: number }
  | { readonly kind: "answered"; readonly id: string }
  | { readonly kind: "finished"; readonly id: string }
  | { readonly kind: "deleted"; readonly id: string }
  | { readonly kind: "restarted"; readonly id: string };

export const crashNow: Instant = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1_000 };
export const longId = "long-task-0000000000";
export const shortId = "short-task-000000000";
export const checkpoints = 40;
/** Of the one artifact of the long task. */
export const artifactChunks = [4_000, 4_000, 1_000].map((length, index) => new Uint8Array(length).fill(index));

export function crashTask(id: string): NewTask {
  return {
    id,
    owner: "client:crash",
    tool: "count_words",
    toolVersion: "1",
    key: `call of ${id}`,
    input: null,
    detached: true,
    ttlMs: 1_000,
  };
}

/** Does a bit of everything, and tells each fact as soon as it has resolved. */
export async function crashWork(store: Store, tell: (fact: Fact) => void): Promise<void> {
  await longTask(store, tell);
  await shortTask(store, tell);
}

/** A task whose journal rotates and is compacted, with one question. */
async function longTask(store: Store, tell: (fact: Fact) => void): Promise<void> {
  const id = longId;
  await store.createTask({ task: crashTask(id), reuseResultMs: 0, now: crashNow });
  tell({ kind: "created", id });
  const lease = await take(store, id);
  let seq = await commit(store, lease, 1, [{ type: "asked", key: "go", question: { message: "?", schema: {} } }]);
  await store.signal(id, { kind: "answer", key: "go", answer: { action: "decline" } });
  tell({ kind: "answered", id });
  const consume = ((await store.getTask(id))?.signals ?? []).map((signal) => signal.id);
  seq = await commit(store, lease, seq, [{ type: "answered", key: "go", answer: { action: "decline" } }], consume);
  for (const [index, bytes] of artifactChunks.entries())
    await store.putChunk({ lease, artifact: "1-1", index, bytes, keep: [] });
  const artifact = { key: "data.bin", artifact: "1-1", mimeType: "application/octet-stream", bytes: 9_000 };
  seq = await commit(store, lease, seq, [{ type: "artifact", ...artifact }]);
  for (let index = 0; index < checkpoints; index += 1) {
    seq = await commit(store, lease, seq, [checkpoint(index)]);
    tell({ kind: "committed", id, lastSeq: seq, items: index + 1 });
  }
  await commit(store, lease, seq, [{ type: "completed", output: "done" }]);
  tell({ kind: "finished", id });
  await store.releaseLease(lease);
}

/** A task that fails, begins again, and is deleted. */
async function shortTask(store: Store, tell: (fact: Fact) => void): Promise<void> {
  const id = shortId;
  await store.createTask({ task: crashTask(id), reuseResultMs: 0, now: crashNow });
  tell({ kind: "created", id });
  const lease = await take(store, id);
  const failed = { type: "failed", error: { code: "TOOL_FAILED", message: "no" } } as const;
  await commit(store, lease, 1, [failed]);
  tell({ kind: "finished", id });
  await commit(store, lease, 2, [{ type: "restarted", generation: 2, fromState: true }]);
  tell({ kind: "restarted", id });
  await commit(store, lease, 3, [failed]);
  await store.deleteTask(lease);
  tell({ kind: "deleted", id });
}

/** One checkpoint of the long task: its items say which one it was. */
export function checkpoint(index: number): TaskEventBody {
  return { type: "checkpoint", progress: index, state: { text: "x".repeat(500) }, items: [index] };
}

export async function take(store: Store, taskId: string): Promise<Lease> {
  const taken = await store.acquireLease({ taskId, worker: "worker", ttlMs: 60_000, now: crashNow });
  if (taken === undefined) throw new Error(`the lease of ${taskId} is not free`);
  return taken.lease;
}

async function commit(
  store: Store,
  lease: Lease,
  afterSeq: number,
  events: readonly TaskEventBody[],
  consume: readonly string[] = [],
): Promise<number> {
  return (await store.commit({ lease, afterSeq, events, consume, now: crashNow })).record.lastSeq;
}
