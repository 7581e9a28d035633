import type { Store } from "@resumable-mcp/core";
import { sessionLimits } from "../session/session-limits.js";

/** The kind of the documents that hold streams of events. */
export const streamKind = "event-stream";

const sweepEveryMs = 60 * 60_000;
const sweepBatch = 1_000;
const sweptMs = new WeakMap<Store, number>();

/**
 * Forgets streams to which nothing was added for `sessionTtlMs`: every request of a client leaves one, and nobody else
 * looks after them. Looks at a store once in an hour, however often it is called; what fails is tried again then.
 */
export async function forgetOldStreams(store: Store): Promise<void> {
  const nowMs = performance.now();
  if (nowMs - (sweptMs.get(store) ?? Number.NEGATIVE_INFINITY) < sweepEveryMs) return;
  sweptMs.set(store, nowMs);
  const idleSinceMs = Date.now() - sessionLimits.sessionTtlMs;
  for (let found = sweepBatch; found === sweepBatch; ) {
    const idle = await store.listIdleDocuments({ kind: streamKind, idleSinceMs, limit: sweepBatch });
    for (const { id } of idle) await store.deleteDocument(streamKind, id);
    found = idle.length;
  }
}
