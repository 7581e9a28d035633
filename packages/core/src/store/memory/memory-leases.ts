import { isolate } from "../../json.js";
import type { Instant, Lease, Offers, WorkerOffers } from "../store.js";
import type { Memory, MemoryTask } from "./memory.js";

/** One process's view of who is alive: heartbeats of others are timed by this process's own monotonic clock. */
export class Leases {
  readonly #memory: Memory;
  readonly #ownWorkers = new Set<string>();
  /** The newest heartbeat of a worker that was seen, and when it was seen first. */
  readonly #sightings = new Map<string, { readonly beat: number; readonly atMs: number }>();
  #latestMs: number | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Takes note of the time; what follows is judged by the latest time that was given. */
  look(now: Instant): void {
    this.#latestMs = Math.max(this.#latestMs ?? now.monotonicMs, now.monotonicMs);
  }

  heartbeat(worker: string, now: Instant, offers?: Offers): void {
    const { heartbeats } = this.#memory;
    if (offers !== undefined) this.#memory.offers.set(worker, isolate(offers, "offers"));
    this.look(now);
    this.#ownWorkers.add(worker);
    const beat = (heartbeats.get(worker) ?? 0) + 1;
    heartbeats.set(worker, beat);
    this.#sightings.set(worker, { beat, atMs: now.monotonicMs });
  }

  /** A live worker holds the task's lease. */
  isLeased({ holder }: MemoryTask): boolean {
    return holder !== undefined && this.#isAlive(holder.lease.worker, holder.ttlMs);
  }

  /** What the living workers published, without one of them. */
  offersOfOthers(worker: string, ttlMs: number): readonly WorkerOffers[] {
    return [...this.#memory.offers].flatMap(([other, offers]) =>
      other !== worker && this.#isAlive(other, ttlMs) ? [{ worker: other, offers }] : [],
    );
  }

  #isAlive(worker: string, ttlMs: number): boolean {
    const beat = this.#memory.heartbeats.get(worker);
    if (beat === undefined) return false;
    // Before a caller gave the time there is nothing to measure by: better to wait than to take from the living.
    if (this.#latestMs === undefined) return true;
    const seen = this.#sightings.get(worker);
    if (seen?.beat === beat) return this.#latestMs - seen.atMs < ttlMs;
    this.#sightings.set(worker, { beat, atMs: this.#latestMs });
    return true;
  }

  /** Gives the task's lease to a worker. */
  take(task: MemoryTask, worker: string, ttlMs: number, now: Instant): Lease {
    this.heartbeat(worker, now);
    // Counted for all tasks together: a task made again under a deleted one's id never repeats an epoch.
    this.#memory.lastEpoch += 1;
    const lease = Object.freeze({ taskId: task.record.id, worker, epoch: this.#memory.lastEpoch });
    task.holder = { lease, ttlMs };
    return lease;
  }

  /** Gives up what this process's workers hold, and names the tasks that are free now. */
  giveUp(): readonly string[] {
    for (const worker of this.#ownWorkers) {
      this.#memory.heartbeats.delete(worker);
      this.#memory.offers.delete(worker);
    }
    const held = [...this.#memory.tasks.values()].filter((task) =>
      this.#ownWorkers.has(task.holder?.lease.worker ?? ""),
    );
    for (const task of held) task.holder = undefined;
    return held.map((task) => task.record.id);
  }
}
