import { isResumableError, ResumableError } from "../../errors.js";
import type { Lease } from "../../store/store.js";
import { finalStatuses, type TaskRecord, type TaskSnapshot, type TaskStatus } from "../../task/task-record.js";
import { answeredBy } from "../../task/task-rules.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";
import { maxUnfinishedFor } from "../limit-rules.js";
import { isKeptForParent } from "./family.js";

/** Deletes a task if it is finished, and no task that called it is to read how it ended. Resolves to whether it was deleted. */
export async function deleteFinished(environment: Environment, taskId: string): Promise<boolean> {
  const deleted = await change(environment, taskId, finalStatuses, async (lease, { record }) => {
    if (await isKeptForParent(environment, record)) return false;
    await environment.store.deleteTask(lease);
    return true;
  });
  return deleted ?? false;
}

/**
 * Begins a new generation of a failed task, from its last state. Resolves to what the task was before, or to `undefined`
 * when it is not failed any more.
 *
 * @throws {@link ResumableError} `KEY_TAKEN` when another unfinished task has the same deduplication key by now;
 * `LIMIT_EXCEEDED` when its owner has too many unfinished tasks.
 */
export function restartFailed(environment: Environment, taskId: string): Promise<TaskRecord | undefined> {
  const { store, clock } = environment;
  return change(environment, taskId, ["failed"], async (lease, { record, signals }) => {
    const restarted = { type: "restarted", generation: record.generation + 1, fromState: true } as const;
    const consume = signals.map((signal) => signal.id);
    const events = [restarted, ...answeredBy(record, signals)];
    const maxUnfinished = maxUnfinishedFor(environment, record.owner);
    const now = readInstant(clock);
    await store.commit({ lease, afterSeq: record.lastSeq, events, consume, maxUnfinished, now });
    return record;
  });
}

/**
 * Takes the lease of a task that is finished, changes the task, and gives the lease back: else no process, not even the
 * next sweep here, could take it while this process lives. Waits for a process that has just finished the task: it gives the
 * lease back in a moment. Resolves to `undefined` when the task has none of these statuses any more.
 */
async function change<Result>(
  { store, worker, limits, clock }: Environment,
  taskId: string,
  statuses: readonly TaskStatus[],
  run: (lease: Lease, snapshot: TaskSnapshot) => Promise<Result>,
): Promise<Result | undefined> {
  const deadlineMs = clock.monotonicMs() + limits.claimPatienceMs;
  for (;;) {
    const claimed = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: readInstant(clock) });
    if (claimed !== undefined) {
      const { lease, snapshot } = claimed;
      const changed = statuses.includes(snapshot.record.status) ? run(lease, snapshot) : Promise.resolve(undefined);
      return changed.finally(() => store.releaseLease(lease).catch(() => {}));
    }
    const present = await store.getTask(taskId);
    if (present !== undefined && !statuses.includes(present.record.status)) return undefined;
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
  const left = new Set<string>();
  for (;;) {
    // Those that are left come first in each list.
    const limit = limits.sweepBatch + left.size;
    const expired = await store.listExpired({ now: readInstant(clock), limit });
    const next = expired.filter((id) => !left.has(id));
    for (const id of next) {
      if (stopped()) return deleted;
      left.add(id);
      try {
        if (!(await remove(id))) continue;
        deleted += 1;
        left.delete(id);
      } catch (error) {
        // Another process may have swept it.
        if (!isResumableError(error, "TASK_NOT_FOUND")) onError(error);
      }
    }
    if (expired.length < limit || next.length === 0 || left.size > maxLeft) return deleted;
  }
}

/** Tasks of one sweep that cannot be deleted: with more of them it ends. */
const maxLeft = 10_000;
