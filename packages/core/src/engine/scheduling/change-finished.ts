import { isResumableError, ResumableError } from "../../errors.js";
import type { Lease } from "../../store/store.js";
import { isFinal, type TaskRecord } from "../../task/task-record.js";
import type { TaskSnapshot } from "../../task/task-snapshot.js";
import { instantOf } from "../clock.js";
import type { Environment } from "../environment.js";

/** Deletes a task if it is finished. Resolves to whether it was deleted. */
export async function deleteFinished(environment: Environment, taskId: string): Promise<boolean> {
  const { store } = environment;
  const claimed = await claim(environment, taskId, ({ status }) => isFinal(status));
  if (claimed === undefined) return false;
  const { lease, snapshot } = claimed;
  if (!isFinal(snapshot.record.status)) {
    await store.releaseLease(lease);
    return false;
  }
  try {
    await store.deleteTask(lease);
    return true;
  } catch (error) {
    // Else no process, not even the next sweep here, could take it while this process lives.
    await store.releaseLease(lease).catch(() => {});
    throw error;
  }
}

/**
 * Begins a new generation of a failed task, from its last state. Resolves to what the task is then, or to `undefined`
 * when it is not failed any more.
 *
 * @throws {@link ResumableError} `KEY_TAKEN` when another unfinished task has the same deduplication key by now.
 */
export async function restartFailed(environment: Environment, taskId: string): Promise<TaskRecord | undefined> {
  const { store, clock } = environment;
  const claimed = await claim(environment, taskId, ({ status }) => status === "failed");
  if (claimed === undefined) return undefined;
  const { lease, snapshot } = claimed;
  const { record, signals } = snapshot;
  try {
    if (record.status !== "failed") return undefined;
    const restarted = { type: "restarted", generation: record.generation + 1, fromState: true } as const;
    const consume = signals.map((signal) => signal.id);
    await store.commit({ lease, afterSeq: record.lastSeq, events: [restarted], consume, now: instantOf(clock) });
    return record;
  } finally {
    await store.releaseLease(lease).catch(() => {});
  }
}

/**
 * Takes the lease of a task that is finished: the process that has just finished it gives it back in a moment. Resolves to
 * `undefined` when another process has changed the task since, so that it is not `isWanted` any more.
 */
async function claim(
  { store, worker, limits, clock }: Environment,
  taskId: string,
  isWanted: (record: TaskRecord) => boolean,
): Promise<{ readonly lease: Lease; readonly snapshot: TaskSnapshot } | undefined> {
  const deadlineMs = clock.monotonicMs() + limits.claimPatienceMs;
  for (;;) {
    const claimed = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: instantOf(clock) });
    if (claimed !== undefined) return claimed;
    const present = await store.getTask(taskId);
    if (present !== undefined && !isWanted(present.record)) return undefined;
    if (clock.monotonicMs() >= deadlineMs) throw busy(taskId);
    await new Promise<void>((resolve) => {
      clock.after(limits.notificationDelayMs, resolve, true);
    });
  }
}

function busy(taskId: string): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Another process is writing task ${taskId} just now. Try again in a few seconds.`,
    { details: { taskId, status: "running", wanted: "claim" } },
  );
}

/**
 * Deletes finished tasks whose time is over, until none is left or `stopped` says so. Resolves to how many.
 *
 * A task that cannot be deleted is reported and left; it hinders no other.
 */
export async function sweepExpired(
  { store, limits, clock, onError }: Environment,
  remove: (taskId: string) => Promise<boolean>,
  stopped: () => boolean,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const before = deleted;
    const expired = await store.listExpired({ now: instantOf(clock), limit: limits.sweepBatch });
    for (const id of expired) {
      if (stopped()) return deleted;
      try {
        if (await remove(id)) deleted += 1;
      } catch (error) {
        // Another process may have swept it.
        if (!isResumableError(error, "TASK_NOT_FOUND")) onError(error);
      }
    }
    if (expired.length < limits.sweepBatch || deleted === before) return deleted;
  }
}
