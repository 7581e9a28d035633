import { isResumableError } from "../../errors.js";
import { instantOf } from "../clock.js";
import type { OpenTaskOptions } from "./open-task.js";
import type { Scheduler } from "./scheduler.js";

/**
 * Deletes finished tasks whose time is over, until none is left or `stopped` says so. Resolves to how many.
 *
 * A task that cannot be deleted is reported and left; it hinders no other.
 */
export async function sweepExpired(
  {
    store,
    scheduler,
    limits,
    clock,
    onError,
  }: Pick<OpenTaskOptions, "store" | "limits" | "clock"> & {
    readonly scheduler: Pick<Scheduler, "remove">;
    readonly onError: (error: unknown) => void;
  },
  stopped: () => boolean,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const before = deleted;
    const expired = await store.listExpired({ now: instantOf(clock), limit: limits.sweepBatch });
    for (const id of expired) {
      if (stopped()) return deleted;
      try {
        if (await scheduler.remove(id)) deleted += 1;
      } catch (error) {
        // Another process may have swept it.
        if (!isResumableError(error, "TASK_NOT_FOUND")) onError(error);
      }
    }
    if (expired.length < limits.sweepBatch || deleted === before) return deleted;
  }
}
