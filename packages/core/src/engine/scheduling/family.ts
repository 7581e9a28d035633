import { isResumableError } from "../../errors.js";
import { needsChild, openCalls, wantsChild } from "../../task/calls.js";
import type { NewSignal } from "../../task/task-record.js";
import { isFinal, type Signal, type TaskRecord } from "../../task/task-record.js";
import type { Environment } from "../environment.js";
import { readIfPresent } from "./read-tasks.js";

type Kin = Pick<Environment, "store">;

/**
 * Passes what is requested of a task on to the tasks that it called and that have not ended. To be called before the request is carried
 * out: a process that dies in between leaves it to the next one.
 */
export async function passOn({ store }: Kin, record: TaskRecord, signals: readonly Signal[]): Promise<void> {
  const cancel = signals.find(({ kind }) => kind === "cancel");
  const last = cancel ?? signals.findLast(({ kind }) => kind === "pause" || kind === "resume");
  if (last === undefined) return;
  const { id: _, ...signal } = last;
  await signalChildren({ store }, record, signal);
}

/** Signals the tasks that a task called and that have not ended, as far as it knows. */
export async function signalChildren({ store }: Kin, record: TaskRecord, signal: NewSignal): Promise<void> {
  for (const { child } of openCalls(record)) {
    try {
      await store.signal(child, signal);
    } catch (error) {
      // It was not made yet: one that is made too late finds that it is not wanted. One that is damaged runs nowhere.
      if (!isResumableError(error, "TASK_NOT_FOUND", "TASK_CORRUPT")) throw error;
    }
  }
}

/** Wakes the task that called one which has ended. Where that fails, it looks by itself after a time. */
export async function wakeParent(
  { store, onError }: Kin & Pick<Environment, "onError">,
  child: TaskRecord,
): Promise<void> {
  if (child.parent === undefined || !isFinal(child.status)) return;
  try {
    const caller = await store.getTask(child.parent.id);
    const isOpen = caller !== undefined && !isFinal(caller.record.status);
    if (isOpen && openCalls(caller.record).some((call) => call.child === child.id))
      await store.signal(child.parent.id, { kind: "offer" });
  } catch (error) {
    onError(error);
  }
}

/** Whether a task that was called has not begun, and its caller was cancelled or restarted from nothing meanwhile. */
export async function isUnwanted({ store }: Kin, { parent, ...record }: TaskRecord): Promise<boolean> {
  if (parent === undefined || record.attempt > 0) return false;
  const caller = await readIfPresent(store, parent.id);
  return caller !== undefined && !wantsChild(caller.record, { ...record, parent });
}

/** Whether a finished task is kept for the one that called it. */
export async function isKeptForParent({ store }: Kin, child: TaskRecord): Promise<boolean> {
  if (child.parent === undefined) return false;
  const caller = await store.getTask(child.parent.id);
  return caller !== undefined && needsChild(caller.record, child);
}

/** Whether a task that a task waits for has ended, is damaged, or was not made yet. */
export async function hasNewsOfChildren({ store }: Kin, record: TaskRecord): Promise<boolean> {
  for (const { child } of openCalls(record)) {
    const found = await readIfPresent(store, child);
    if (found === undefined || isFinal(found.record.status)) return true;
  }
  return false;
}
