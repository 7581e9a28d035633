import type { Instant, QuotaUse } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";

/** An index tells how many tasks there are. */
const heldStatement = {
  name: "held",
  text: "SELECT count(*) AS tasks, 0::bigint AS bytes FROM store.task",
};

/** Their bytes take a look at each row. */
const heldBytesStatement = {
  name: "held_bytes",
  text: "SELECT count(*) AS tasks, coalesce(sum(t.bytes + t.chunk_bytes), 0)::bigint AS bytes FROM store.task t",
};

interface Held {
  readonly tasks: number;
  readonly bytes: number;
}

/** So near to a quota each task is counted as it is made. */
const nearBy: Held = { tasks: 1_000, bytes: 1024 * 1024 * 1024 };
/** What all other processes together do not add to a store in a second. */
const othersPerSecond: Held = { tasks: 2_000, bytes: 100 * 1024 * 1024 };

/** Which quotas a store is so near to that one more task may have to be refused. */
export type NearQuotas = { readonly [What in keyof Held]: boolean };

/**
 * Whether the store is so far from its quotas that a task can be made without a count of all, for which tasks are made one
 * after the other.
 *
 * Tasks that this process makes are counted as it happens. What others do is known when all are counted again: the sooner, the
 * less room there is, and once in `remeasureMs` at the latest.
 */
export class StoreUsage {
  readonly #database: Database;
  readonly #statement: typeof heldStatement;
  #held: Held = { tasks: 0, bytes: 0 };
  /** What was made here since the count that is under way began: whether that has seen it is not known. */
  #madeMeanwhile: Held = { tasks: 0, bytes: 0 };
  #countedMs = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#statement = Number.isFinite(database.limits.maxStoreBytes) ? heldBytesStatement : heldStatement;
  }

  /** Tells which quotas have to be compared with an exact count when the next task is made. */
  async near({ monotonicMs }: Instant): Promise<NearQuotas> {
    const { maxStoreTasks, maxStoreBytes, remeasureMs } = this.#database.limits;
    const hasTasks = Number.isFinite(maxStoreTasks);
    const hasBytes = Number.isFinite(maxStoreBytes);
    const isAlwaysNear = (!hasTasks || maxStoreTasks <= nearBy.tasks) && (!hasBytes || maxStoreBytes <= nearBy.bytes);
    if (isAlwaysNear) return { tasks: hasTasks, bytes: hasBytes };
    const restMs = this.#restMs();
    const dueMs = this.#countedMs + Math.min(restMs, remeasureMs);
    const isDue = monotonicMs >= dueMs;
    const counting = isDue ? this.#count(monotonicMs).then(isTrue, isFalse) : undefined;
    // Others may have come near by now, or too little is known: calls wait for it. One that fails refuses nothing: the exact one
    // decides then.
    const waits = monotonicMs >= (restMs < remeasureMs ? dueMs : dueMs + remeasureMs);
    if (waits && !(await counting)) return { tasks: hasTasks, bytes: hasBytes };
    const { tasks, bytes } = this.#held;
    return {
      tasks: hasTasks && maxStoreTasks - tasks <= nearBy.tasks,
      bytes: hasBytes && maxStoreBytes - bytes <= nearBy.bytes,
    };
  }

  /** What quotas are compared with; counted again at most once in `remeasureMs`. */
  async list({ monotonicMs }: Instant): Promise<readonly QuotaUse[]> {
    const { maxStoreTasks, maxStoreBytes, remeasureMs } = this.#database.limits;
    const quotas = [
      { quota: "maxStoreTasks", limit: maxStoreTasks, used: () => this.#held.tasks },
      { quota: "maxStoreBytes", limit: maxStoreBytes, used: () => this.#held.bytes },
    ].filter(({ limit }) => Number.isFinite(limit));
    if (quotas.length > 0 && monotonicMs - this.#countedMs >= remeasureMs) await this.#count(monotonicMs);
    return quotas.map(({ quota, limit, used }) => ({ quota, limit, used: used() }));
  }

  /** Notes that a task was made. */
  addTask(bytes: number): void {
    const one: Held = { tasks: 1, bytes };
    this.#held = sum(this.#held, one);
    this.#madeMeanwhile = sum(this.#madeMeanwhile, one);
  }

  /** How long the others take at least to come near to a quota that is far. */
  #restMs(): number {
    const { maxStoreTasks, maxStoreBytes } = this.#database.limits;
    const tasks = restMs(maxStoreTasks - this.#held.tasks, nearBy.tasks, othersPerSecond.tasks);
    return Math.min(tasks, restMs(maxStoreBytes - this.#held.bytes, nearBy.bytes, othersPerSecond.bytes));
  }

  #count(nowMs: number): Promise<void> {
    this.#counting ??= this.#countOnce(nowMs).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countOnce(nowMs: number): Promise<void> {
    this.#madeMeanwhile = { tasks: 0, bytes: 0 };
    // A part of making a task: on a standby it fails as that does.
    const [held] = await this.#database.query<Held>("write", this.#statement, []);
    if (held !== undefined) this.#held = sum(held, this.#madeMeanwhile);
    this.#countedMs = nowMs;
  }
}

const isTrue = () => true;
const isFalse = () => false;

function sum(one: Held, other: Held): Held {
  return { tasks: one.tasks + other.tasks, bytes: one.bytes + other.bytes };
}

function restMs(room: number, near: number, perSecond: number): number {
  return room > near ? (1_000 * room) / perSecond : Number.POSITIVE_INFINITY;
}
