import type { RunnableTask } from "../../store/store.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";
import { Orphans } from "./orphans.js";
import type { TaskTimers } from "./poller.js";
import type { RunQueue } from "./run-queue.js";
import type { Versions } from "./versions.js";

/** What decides which of the tasks that are found this process queues, and takes them. */
interface FinderParts {
  readonly environment: Environment;
  readonly queue: RunQueue;
  readonly timers: TaskTimers;
  readonly versions: Versions;
  /** A caller in this process waits for the task. */
  readonly isAwaited: (taskId: string) => boolean;
}

/** Looks into the store for tasks that this process may run, and queues them. */
export class WorkFinder {
  readonly #parts: FinderParts;
  readonly #orphans: Orphans;
  /** Tasks that the last look left to workers of other versions. */
  #left = 0;

  constructor(parts: FinderParts) {
    this.#parts = parts;
    this.#orphans = new Orphans(parts.environment.limits.recoverAfterMs);
  }

  /** Looks once. Resolves to the delay until there may be more, where that is known. */
  async look(): Promise<number | undefined> {
    const { environment, queue, timers, versions } = this.#parts;
    const { limits } = environment;
    // What is known already must not hide what is not.
    const sinceMs = environment.clock.monotonicMs();
    const limit = limits.lookBatch + queue.length + timers.held + this.#orphans.size + this.#left;
    const { tasks, leftMs } = await this.#listRunnable(limit);
    const isAll = tasks.length < limit;
    if (isAll) queue.noteRunnable(new Set(tasks.map(({ id }) => id)), sinceMs);
    const mine = await versions.runnableHere(tasks, isAll);
    this.#left = tasks.length - mine.length;
    const orphansMs = this.#queueFound(mine, isAll);
    return leftMs === undefined || orphansMs === undefined ? (leftMs ?? orphansMs) : Math.min(leftMs, orphansMs);
  }

  /** What may run now, and the delay until more may. */
  async #listRunnable(limit: number): Promise<{ tasks: readonly RunnableTask[]; leftMs: number | undefined }> {
    const { store, tools, clock, dueTimes } = this.#parts.environment;
    const leftOf = (nextMs: number | undefined) => (nextMs === undefined ? undefined : dueTimes.leftMs(nextMs));
    const request = { tools: [...tools.runnable.keys()], now: readInstant(clock), limit };
    const found = await store.listRunnable(request);
    const leftMs = leftOf(found.nextDueMs);
    if (found.nextDueMs === undefined || leftMs === undefined || leftMs > 0) return { tasks: found.tasks, leftMs };
    // The wall clock, by which the store lists, was set back: by this process's own measure that time has come.
    const now = { ...request.now, wallMs: found.nextDueMs - leftMs };
    const { tasks, nextDueMs } = await store.listRunnable({ ...request, now });
    const nextLeftMs = leftOf(nextDueMs);
    return { tasks, leftMs: nextLeftMs !== undefined && nextLeftMs > 0 ? nextLeftMs : undefined };
  }

  /** Queues what may run now. Resolves to the delay until the next orphan may. */
  #queueFound(found: readonly RunnableTask[], isAll: boolean): number | undefined {
    const { environment, queue, timers } = this.#parts;
    // The wall clock, by which the store lists, may have been set.
    const ripe = found.filter(({ dueMs }) => environment.dueTimes.leftMs(dueMs) <= 0);
    const tasks = ripe.filter((task) => !timers.holds(task.id));
    const orphaned = tasks.filter(({ id, detached }) => !detached && !this.#isInHand(id)).map(({ id }) => id);
    const { due, nextMs } = this.#orphans.look(orphaned, isAll, environment.clock.monotonicMs());
    const waiting = new Set(orphaned);
    for (const id of due) waiting.delete(id);
    for (const task of tasks) {
      if (waiting.has(task.id)) continue;
      timers.clear(task.id);
      queue.add(task);
    }
    queue.pump();
    return nextMs;
  }

  /** This process runs the task, is about to, or has a caller that waits for it. */
  #isInHand(taskId: string): boolean {
    const { queue, timers, versions, isAwaited } = this.#parts;
    return isAwaited(taskId) || queue.has(taskId) || timers.has(taskId) || versions.leaves(taskId);
  }
}
