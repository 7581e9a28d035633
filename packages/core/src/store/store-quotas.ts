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
  const quota = after.events > quotas.maxJournalEvents ? "maxJournalEvents" : "maxJournalBytes";
  const used = quota === "maxJournalEvents" ? after.events : after.bytes;
  const limit = quotas[quota];
  if (used <= limit || !isContinuing(events)) return;
  throw new ResumableError(
    "QUOTA_EXCEEDED",
    `The journal of task ${taskId} would reach ${used}, and the quota is ${quota} = ${limit}. Nothing was written. Do the rest in another task, or raise ${quota} of the store.`,
    { details: { quota, limit, used, taskId } },
  );
}

const growing: readonly string[] = [
  "checkpoint",
  "step",
  "step_failed",
  "called",
  "returned",
  "call_failed",
  "artifact",
  "sleep",
  "asked",
  "log",
  "restarted",
];
/** Commits of the engine, which would repeat a refused one without end: the tool of an attempt that begins meets the quota. */
const ofEngine: readonly string[] = ["attempt_started", "attempt_ended", "completed", "failed", "cancelled"];

function isContinuing(events: readonly TaskEventBody[]): boolean {
  return events.some(({ type }) => growing.includes(type)) && !events.some(({ type }) => ofEngine.includes(type));
}

/**
 * Checks whether a store may take one more task. Never asked about what stands there already.
 *
 * @throws {@link ResumableError} `QUOTA_EXCEEDED`; nothing may have been made before.
 */
export function checkStoreQuotas(
  quotas: Pick<StoreQuotas, "maxStoreTasks" | "maxStoreBytes">,
  held: { readonly tasks: number; readonly bytes: number },
): void {
  const quota = held.tasks >= quotas.maxStoreTasks ? "maxStoreTasks" : "maxStoreBytes";
  const used = quota === "maxStoreTasks" ? held.tasks : held.bytes;
  const limit = quotas[quota];
  if (used < limit) return;
  throw new ResumableError(
    "QUOTA_EXCEEDED",
    `The store is full: it holds ${used}, and the quota is ${quota} = ${limit}. No task was made; existing tasks continue. Delete finished tasks, keep them for a shorter time (ttlMs), or raise ${quota}.`,
    { details: { quota, limit, used } },
  );
}
