import { ResumableError } from "../errors.js";
import type { StoreQuotas } from "../limits.js";
import type { TaskEventBody } from "../task/task-event.js";

/**
 * Checks what a commit would make of a task's journal.
 *
 * Only events by which a tool continues are refused: a task at a quota can still end, be cancelled, be paused and be
 * answered, and what a running task of another owner writes is never asked about.
 *
 * @param after what the journal would hold with the commit.
 * @throws {@link ResumableError} `QUOTA_EXCEEDED`; nothing may have been written before.
 */
export function checkJournalQuotas(
  quotas: Pick<StoreQuotas, "maxJournalEvents" | "maxJournalBytes">,
  taskId: string,
  events: readonly TaskEventBody[],
  after: { readonly events: number; readonly bytes: number },
): void {
  if (after.events > quotas.maxJournalEvents && isContinuing(events)) {
    throw journalFull("maxJournalEvents", taskId, quotas.maxJournalEvents, after.events);
  }
  if (after.bytes > quotas.maxJournalBytes && isContinuing(events)) {
    throw journalFull("maxJournalBytes", taskId, quotas.maxJournalBytes, after.bytes);
  }
}

const growing: ReadonlySet<TaskEventBody["type"]> = new Set([
  "checkpoint",
  "step",
  "sleep",
  "asked",
  "log",
  "restarted",
]);
const ending: ReadonlySet<TaskEventBody["type"]> = new Set(["attempt_ended", "completed", "failed", "cancelled"]);

function isContinuing(events: readonly TaskEventBody[]): boolean {
  return events.some(({ type }) => growing.has(type)) && !events.some(({ type }) => ending.has(type));
}

function journalFull(
  quota: "maxJournalEvents" | "maxJournalBytes",
  taskId: string,
  limit: number,
  used: number,
): ResumableError {
  return new ResumableError(
    "QUOTA_EXCEEDED",
    `The journal of task ${taskId} may hold ${quota} = ${limit}, and would hold ${used}. Nothing was written. Do the rest in another task, or raise ${quota} of the store.`,
    { details: { quota, limit, used, taskId } },
  );
}

/**
 * Checks whether a store may take one more task. Never asked about what stands there already.
 *
 * @throws {@link ResumableError} `QUOTA_EXCEEDED`; nothing may have been made before.
 */
export function checkStoreQuotas(
  quotas: Pick<StoreQuotas, "maxStoreTasks" | "maxStoreBytes">,
  used: { readonly tasks: number; readonly bytes: number },
): void {
  if (used.tasks >= quotas.maxStoreTasks) throw storeFull("maxStoreTasks", quotas.maxStoreTasks, used.tasks);
  if (used.bytes >= quotas.maxStoreBytes) throw storeFull("maxStoreBytes", quotas.maxStoreBytes, used.bytes);
}

function storeFull(quota: "maxStoreTasks" | "maxStoreBytes", limit: number, used: number): ResumableError {
  return new ResumableError(
    "QUOTA_EXCEEDED",
    `The store may hold ${quota} = ${limit}, and holds ${used}. No task was made; those that are there go on. Delete finished tasks, keep them for a shorter time (ttlMs), or raise ${quota}.`,
    { details: { quota, limit, used } },
  );
}
