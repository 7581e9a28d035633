import { isResumableError } from "../../errors.js";
import type { Store } from "../../store/store.js";
import type { TaskSnapshot } from "../../task/task-record.js";
import type { Environment } from "../environment.js";

/**
 * Reads a task of an owner. Only the owner hears that it is damaged: for others it is like any task that is not theirs, and
 * the operator's log has it.
 */
export async function readOwned(
  { store, onError }: Pick<Environment, "store" | "onError">,
  isOwn: (owner: string) => boolean,
  taskId: string,
): Promise<TaskSnapshot | undefined> {
  try {
    const snapshot = await store.getTask(taskId);
    return snapshot !== undefined && isOwn(snapshot.record.owner) ? snapshot : undefined;
  } catch (error) {
    if (!isResumableError(error, "TASK_CORRUPT") || isOwn(String(error.details.owner))) throw error;
    onError(error);
    return undefined;
  }
}

/** Reads a task, or resolves to `undefined` when it is damaged, or was deleted since it was listed. */
export async function readIfPresent(store: Pick<Store, "getTask">, taskId: string): Promise<TaskSnapshot | undefined> {
  try {
    return await store.getTask(taskId);
  } catch (error) {
    if (isResumableError(error, "TASK_CORRUPT")) return undefined;
    throw error;
  }
}
