import type { Instant } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";

const heldStatement = {
  name: "held",
  text: "SELECT count(*) AS tasks, coalesce(sum(t.bytes), 0)::bigint AS bytes FROM store.task t",
};

interface Held {
  readonly tasks: number;
  readonly bytes: number;
}

/** So near to a quota, or within a tenth of it, each task is counted as it is made. */
const nearTasks = 1_000;
const nearBytes = 1024 * 1024 * 1024;

/**
 * Whether the store is so far from its quotas that a task can be made without a count of all: that takes a lock and reads a
 * row for each task.
 *
 * Tasks that this process makes are counted as it happens. What others do is known when all are counted again, once in
 * `remeasureMs`.
 */
export class StoreUsage {
  readonly #database: Database;
  #held: Held = { tasks: 0, bytes: 0 };
  #countedMs: number | undefined;
  #counting: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Tells whether one more task keeps the store far from its quotas. */
  async isFar({ monotonicMs }: Instant): Promise<boolean> {
    const { maxStoreTasks, maxStoreBytes, remeasureMs } = this.#database.limits;
    const [tasks, bytes] = [farUpTo(maxStoreTasks, nearTasks), farUpTo(maxStoreBytes, nearBytes)];
    if (tasks === Number.POSITIVE_INFINITY && bytes === Number.POSITIVE_INFINITY) return true;
    if (tasks <= 0 || bytes <= 0) return false;
    if (this.#countedMs === undefined) await this.#count(monotonicMs);
    // Far from a quota no call waits for it; one that fails is repeated by the next call.
    else if (monotonicMs - this.#countedMs >= remeasureMs) this.#count(monotonicMs).catch(() => {});
    return this.#held.tasks < tasks && this.#held.bytes < bytes;
  }

  /** Notes that a task was made. */
  addTask(bytes: number): void {
    this.#held = { tasks: this.#held.tasks + 1, bytes: this.#held.bytes + bytes };
  }

  #count(nowMs: number): Promise<void> {
    this.#counting ??= this.#database
      // A part of making a task: what fails it, fails that.
      .query<Held>("write", heldStatement, [])
      .then(([held]) => {
        this.#held = held ?? this.#held;
        this.#countedMs = nowMs;
      })
      .finally(() => {
        this.#counting = undefined;
      });
    return this.#counting;
  }
}

function farUpTo(quota: number, near: number): number {
  return quota === Number.POSITIVE_INFINITY ? quota : quota - Math.max(near, quota / 10);
}
