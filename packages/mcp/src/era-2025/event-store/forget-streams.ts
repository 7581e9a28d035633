import type { Documents } from "@resumable-mcp/core/store";
import { sessionLimits } from "../../limits.js";

/** The kind of the documents that hold streams of events. */
export const streamKind = "event-stream";

const sweepEveryMs = 60 * 60_000;
const sweepBatch = 1_000;
const sweptMs = new WeakMap<Documents, number>();

/**
 * Forgets streams to which nothing was added for `sessionTtlMs`: every request of a client leaves one, and only this
 * removes them. Looks at a store once in an hour, however often it is called; what fails is tried again then.
 */
export async function forgetOldStreams(documents: Documents): Promise<void> {
  const nowMs = performance.now();
  if (nowMs - (sweptMs.get(documents) ?? Number.NEGATIVE_INFINITY) < sweepEveryMs) return;
  sweptMs.set(documents, nowMs);
  const idleSinceMs = Date.now() - sessionLimits.sessionTtlMs;
  for (let found = sweepBatch; found === sweepBatch; ) {
    const idle = await documents.listIdleDocuments({ kind: streamKind, idleSinceMs, limit: sweepBatch });
    for (const { id } of idle) await documents.deleteDocument(streamKind, id);
    found = idle.length;
  }
}
