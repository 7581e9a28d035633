import type { Instant, Lease } from "../store.js";
import type { Memory, MemoryTask } from "./memory.js";
import { leaseLost, taskNotFound } from "./memory-error.js";

/** One process's view of who is alive: heartbeats of others are timed by this process's own monotonic clock. */
export interface Leases {
  /** Takes note of the time; what follows is judged by the latest time that was given. */
  look(now: Instant): void;
  heartbeat(worker: string, now: Instant): void;
  /** A live worker holds the task's lease. */
  isLeased(task: MemoryTask): boolean;
  /** Gives the task's lease to a worker. */
  take(task: MemoryTask, worker: string, ttlMs: number, now: Instant): Lease;
  /** Gives up what this process's workers hold, and names the tasks that are free now. */
  giveUp(): readonly string[];
}

interface Sighting {
  readonly beat: number;
  readonly atMs: number;
}

/** Makes the view that one process has of the leases in a memory. */
export function createLeases(memory: Memory): Leases {
  const ownWorkers = new Set<string>();
  const sightings = new Map<string, Sighting>();
  let latestMs: number | undefined;

  const look = (now: Instant) => {
    latestMs = Math.max(latestMs ?? now.monotonicMs, now.monotonicMs);
  };
  const isAlive = (worker: string, ttlMs: number): boolean => {
    const beat = memory.heartbeats.get(worker);
    if (beat === undefined) return false;
    // Before a caller gave the time there is nothing to measure by: better to wait than to take from the living.
    if (latestMs === undefined) return true;
    const seen = sightings.get(worker);
    if (seen?.beat === beat) return latestMs - seen.atMs < ttlMs;
    sightings.set(worker, { beat, atMs: latestMs });
    return true;
  };
  const heartbeat = (worker: string, now: Instant) => {
    look(now);
    ownWorkers.add(worker);
    const beat = (memory.heartbeats.get(worker) ?? 0) + 1;
    memory.heartbeats.set(worker, beat);
    sightings.set(worker, { beat, atMs: now.monotonicMs });
  };
  return {
    look,
    heartbeat,
    isLeased: (task) => task.holder !== undefined && isAlive(task.holder.lease.worker, task.holder.ttlMs),
    take(task, worker, ttlMs, now) {
      heartbeat(worker, now);
      // Counted for all tasks together: a task made again under a deleted one's id never repeats an epoch.
      memory.lastEpoch += 1;
      task.epoch = memory.lastEpoch;
      const lease = Object.freeze({ taskId: task.record.id, worker, epoch: task.epoch });
      task.holder = { lease, ttlMs };
      return lease;
    },
    giveUp() {
      for (const worker of ownWorkers) memory.heartbeats.delete(worker);
      const held = [...memory.tasks.values()].filter((task) => ownWorkers.has(task.holder?.lease.worker ?? ""));
      for (const task of held) task.holder = undefined;
      return held.map((task) => task.record.id);
    },
  };
}

/** Finds a task. */
export function requireTask(memory: Memory, taskId: string): MemoryTask {
  const task = memory.tasks.get(taskId);
  if (task === undefined) throw taskNotFound(taskId);
  return task;
}

/** Finds the task that a lease gives the right to write. */
export function requireHolder(memory: Memory, lease: Lease): MemoryTask {
  const task = requireTask(memory, lease.taskId);
  if (task.holder?.lease.epoch !== lease.epoch) throw leaseLost(lease);
  return task;
}
