import { checkLimit, fixedLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import { type TaskRecord, unfinishedStatuses } from "../../task/task-record.js";
import type { RecoveryCounts } from "../engine.js";
import { readIfPresent, taskPages } from "./read-tasks.js";

type Counted = Pick<TaskRecord, "id" | "owner" | "key">;

/** What a call holds while it may be making a task. */
class Place {
  leave: () => void = () => {};
  readonly left = new Promise<void>((resolve) => {
    this.leave = resolve;
  });
}

/**
 * Counts each owner's unfinished tasks, as far as this process knows of them. Only when an owner seems to have reached
 * the limit is the store asked, and only for what is unfinished: how much an owner has finished costs nothing.
 */
export class UnfinishedTasks {
  readonly #store: Store;
  readonly #maxPerOwner: number;
  /** By owner and task id: the task's key. */
  readonly #known = new Map<string, Map<string, string | null>>();
  /** By owner: calls that may be making a task just now. */
  readonly #making = new Map<string, Set<Place>>();

  constructor(store: Store, maxPerOwner: number) {
    this.#store = store;
    this.#maxPerOwner = maxPerOwner;
  }

  add({ owner, id, key }: Counted): void {
    const tasks = this.#known.get(owner) ?? new Map<string, string | null>();
    this.#known.set(owner, tasks.set(id, key));
  }

  remove({ owner, id }: Pick<Counted, "owner" | "id">): void {
    const tasks = this.#known.get(owner);
    tasks?.delete(id);
    if (tasks?.size === 0) this.#known.delete(owner);
  }

  /**
   * Lets a call make one more task, or continue one. Calls that come at the same moment wait for it where only the
   * outcome decides whether there is room.
   *
   * @returns what ends it: what was made is added before.
   * @throws {@link ResumableError} `LIMIT_EXCEEDED` when the owner has too many; not for a call that joins a task.
   */
  async admit({ id, owner, key }: Counted): Promise<() => void> {
    for (;;) {
      const making = this.#making.get(owner) ?? new Set();
      const count = this.#countOf(owner);
      if (count + making.size < this.#maxPerOwner) {
        const place = new Place();
        this.#making.set(owner, making.add(place));
        return () => this.#leave(owner, place);
      }
      if (making.size > 0 && count < this.#maxPerOwner) {
        await Promise.race([...making].map(({ left }) => left));
        continue;
      }
      await this.#refresh(owner);
      const tasks = this.#known.get(owner);
      if (tasks?.has(id) || (key !== null && [...(tasks?.values() ?? [])].includes(key))) return () => {};
      checkLimit("maxUnfinishedPerOwner", this.#countOf(owner) + 1, this.#maxPerOwner);
    }
  }

  #countOf(owner: string): number {
    return this.#known.get(owner)?.size ?? 0;
  }

  #leave(owner: string, place: Place): void {
    const making = this.#making.get(owner);
    making?.delete(place);
    if (making?.size === 0) this.#making.delete(owner);
    place.leave();
  }

  async #refresh(owner: string): Promise<void> {
    const before = this.#known.get(owner);
    const tasks = new Map<string, string | null>();
    for await (const page of taskPages(this.#store, { owner, statuses: unfinishedStatuses })) {
      for (const { id } of page) {
        const key = before?.get(id) ?? (await readIfPresent(this.#store, id))?.record.key;
        if (key !== undefined) tasks.set(id, key);
      }
      if (tasks.size >= this.#maxPerOwner) break;
    }
    if (tasks.size === 0) this.#known.delete(owner);
    else this.#known.set(owner, tasks);
  }
}

/** Counts the unfinished tasks of some tools by when they will run. */
export async function countRecovery(
  store: Store,
  tools: ReadonlySet<string>,
  recoverAfterMs: number,
): Promise<RecoveryCounts> {
  const counts = { now: 0, later: 0, onRequest: 0 };
  const page = await store.listTasks({ statuses: unfinishedStatuses, limit: fixedLimits.maxCountedTasks });
  for (const { tool, status, detached } of page.tasks) {
    // A process runs it.
    if (!tools.has(tool) || status === "running") continue;
    if (status !== "pending") counts.onRequest += 1;
    else if (detached || recoverAfterMs === 0) counts.now += 1;
    else counts[Number.isFinite(recoverAfterMs) ? "later" : "onRequest"] += 1;
  }
  return { ...counts, more: page.nextCursor !== undefined };
}
