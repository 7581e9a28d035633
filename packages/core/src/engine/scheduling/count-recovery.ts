import type { Store } from "../../store/store.js";
import { type TaskSummary, unfinishedStatuses } from "../../task/task-record.js";
import type { RecoveryCounts } from "../engine.js";

/** More unfinished tasks than this are not counted one by one. */
const maxCounted = 1_000;

/** When a task that nobody runs will run; `undefined` for one that a process runs. */
export function recoveryOf(
  { status, detached }: Pick<TaskSummary, "status" | "detached">,
  recoverAfterMs: number,
): keyof Omit<RecoveryCounts, "more"> | undefined {
  if (status === "paused" || status === "input_required") return "onRequest";
  if (status !== "pending") return undefined;
  if (detached || recoverAfterMs === 0) return "now";
  return Number.isFinite(recoverAfterMs) ? "later" : "onRequest";
}

/** Counts the unfinished tasks of some tools by when they will run. */
export async function countRecovery(
  store: Store,
  tools: ReadonlySet<string>,
  recoverAfterMs: number,
): Promise<RecoveryCounts> {
  const counts = { now: 0, later: 0, onRequest: 0 };
  const page = await store.listTasks({ statuses: unfinishedStatuses, limit: maxCounted });
  for (const task of page.tasks) {
    const recovery = tools.has(task.tool) ? recoveryOf(task, recoverAfterMs) : undefined;
    if (recovery !== undefined) counts[recovery] += 1;
  }
  return { ...counts, more: page.nextCursor !== undefined };
}
