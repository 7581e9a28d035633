import { fixedLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import { unfinishedStatuses } from "../../task/task-record.js";
import type { RecoveryCounts } from "../engine.js";

/** Counts the unfinished tasks of some tools by when they will run. */
export async function countRecovery(
  store: Store,
  tools: ReadonlySet<string>,
  recoverAfterMs: number,
): Promise<RecoveryCounts> {
  const counts = { now: 0, later: 0, onRequest: 0 };
  const page = await store.listTasks({ statuses: unfinishedStatuses, limit: fixedLimits.maxCountedTasks });
  for (const { tool, status, detached } of page.tasks) {
    // A process runs it.
    if (!tools.has(tool) || status === "running") continue;
    if (status !== "pending") counts.onRequest += 1;
    else if (detached || recoverAfterMs === 0) counts.now += 1;
    else counts[Number.isFinite(recoverAfterMs) ? "later" : "onRequest"] += 1;
  }
  return { ...counts, more: page.nextCursor !== undefined };
}
