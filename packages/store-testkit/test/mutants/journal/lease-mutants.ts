import type { Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";
import { leaseBook } from "../process-memory.js";
import { turn } from "../turn.js";

type Taken = Awaited<ReturnType<Store["acquireLease"]>>;
type Taking = Parameters<Store["acquireLease"]>[0];

/** Looks whether a task is free, and takes it a moment later. */
function racyTaking(store: Store, isGuarded: (taskId: string) => boolean): Partial<Store> {
  return {
    async acquireLease(request) {
      const before = await store.getTask(request.taskId);
      await turn();
      if (isGuarded(request.taskId)) return undefined;
      const taken = await store.acquireLease(request);
      return taken ?? (before === undefined || before.leased ? undefined : forged(request, before));
    },
  };
}

function forged({ taskId, worker }: Taking, snapshot: NonNullable<Taken>["snapshot"]): Taken {
  return { lease: { taskId, worker, epoch: 1e6 }, snapshot };
}

/** Only the lease that a worker took last lives with its heartbeat. */
function onlyTheNewestLives(store: Store): Partial<Store> {
  const newest = new Map<string, string>();
  return {
    async acquireLease(request) {
      const name = `${request.worker} of ${request.taskId}`;
      const taken = await store.acquireLease({ ...request, worker: name });
      if (taken === undefined) return undefined;
      newest.set(request.worker, name);
      return { ...taken, lease: { ...taken.lease, worker: request.worker } };
    },
    heartbeat: ({ worker, now }) => store.heartbeat({ worker: newest.get(worker) ?? worker, now }),
  };
}

/** Gives every lease the same epoch, and lets any holder of it do what the newest may. */
function withoutEpochs(store: Store): Partial<Store> {
  const { newest, methods } = leaseBook(store);
  return {
    async acquireLease(request) {
      const taken = await methods.acquireLease(request);
      return taken && { ...taken, lease: { ...taken.lease, epoch: 1 } };
    },
    commit: (request) => store.commit({ ...request, lease: newest.get(request.lease.taskId) ?? request.lease }),
    releaseLease: (lease) => methods.releaseLease(newest.get(lease.taskId) ?? lease),
  };
}

/** Stores that are wrong about who holds a task. */
export const leaseMutants: readonly Mutant[] = [
  {
    name: "gives every taker a lease",
    killedBy: "LEASE-1",
    mutate: (store) => ({
      async acquireLease(request) {
        const snapshot = await store.getTask(request.taskId);
        const taken = await store.acquireLease(request);
        return taken !== undefined || snapshot === undefined ? taken : forged(request, snapshot);
      },
    }),
  },
  {
    name: "gives a worker the lease that it has",
    killedBy: "LEASE-2",
    mutate(store) {
      const held = new Map<string, Taken>();
      return {
        async acquireLease(request) {
          const taken = await store.acquireLease(request);
          if (taken !== undefined) held.set(request.taskId, taken);
          const before = held.get(request.taskId);
          return before?.lease.worker === request.worker ? before : taken;
        },
      };
    },
  },
  { name: "gives every lease the same epoch", killedBy: "LEASE-3", mutate: withoutEpochs },
  {
    name: "shows the next holder the task as the first one found it",
    killedBy: "LEASE-3",
    mutate(store) {
      const first = new Map<string, NonNullable<Taken>["snapshot"]>();
      return {
        async acquireLease(request) {
          const taken = await store.acquireLease(request);
          if (taken === undefined) return undefined;
          const snapshot = first.get(request.taskId) ?? taken.snapshot;
          first.set(request.taskId, snapshot);
          return { ...taken, snapshot };
        },
      };
    },
  },
  {
    name: "shows the next holder no signals",
    killedBy: "LEASE-3",
    mutate: (store) => ({
      async acquireLease(request) {
        const taken = await store.acquireLease(request);
        return taken && { ...taken, snapshot: { ...taken.snapshot, signals: [] } };
      },
    }),
  },
  {
    name: "shows the next holder a task that no worker holds",
    killedBy: "LEASE-3",
    mutate: (store) => ({
      async acquireLease(request) {
        const taken = await store.acquireLease(request);
        return taken && { ...taken, snapshot: { ...taken.snapshot, leased: false } };
      },
    }),
  },
  {
    name: "looks whether a task is free before it takes it, not while",
    killedBy: "LEASE-4",
    mutate: (store) => racyTaking(store, () => false),
  },
  {
    name: "gives one lease in each process",
    killedBy: "LEASE-5",
    mutate(store) {
      const taken = new Set<string>();
      const racy = racyTaking(store, (taskId) => {
        const isTaken = taken.has(taskId);
        taken.add(taskId);
        return isTaken;
      });
      return {
        ...racy,
        async releaseLease(lease) {
          taken.delete(lease.taskId);
          await store.releaseLease(lease);
        },
      };
    },
  },
  {
    name: "frees a task for any worker that gives it back",
    killedBy: "LEASE-6",
    mutate(store) {
      const { newest, methods } = leaseBook(store);
      return { ...methods, releaseLease: (lease) => methods.releaseLease(newest.get(lease.taskId) ?? lease) };
    },
  },
  {
    name: "gives no lease of a finished task",
    killedBy: "LEASE-7",
    mutate: (store) => ({
      async acquireLease(request) {
        const { finishedAt } = (await store.getTask(request.taskId))?.record ?? {};
        return finishedAt === undefined ? store.acquireLease(request) : undefined;
      },
    }),
  },
  {
    name: "does not say that a task is leased",
    killedBy: "LEASE-8",
    mutate: (store) => ({
      async getTask(id) {
        const snapshot = await store.getTask(id);
        return snapshot && { ...snapshot, leased: false };
      },
    }),
  },
  {
    name: "says of a task that was leased once that it is",
    killedBy: "LEASE-8",
    mutate(store) {
      const ever = new Set<string>();
      return {
        async acquireLease(request) {
          ever.add(request.taskId);
          return store.acquireLease(request);
        },
        async getTask(id) {
          const snapshot = await store.getTask(id);
          return snapshot && { ...snapshot, leased: snapshot.leased || ever.has(id) };
        },
      };
    },
  },
  {
    name: "lets no lease expire",
    killedBy: "LEASE-9",
    mutate: (store) => ({ acquireLease: (request) => store.acquireLease({ ...request, ttlMs: 1e12 }) }),
  },
  {
    name: "takes a task over before its time",
    killedBy: "LEASE-9",
    mutate: (store) => ({ acquireLease: (request) => store.acquireLease({ ...request, ttlMs: request.ttlMs - 1 }) }),
  },
  {
    name: "takes no notice of heartbeats",
    killedBy: "LEASE-10",
    mutate: () => ({ heartbeat: async () => {} }),
  },
  {
    name: "keeps only the newest lease of a worker by its heartbeat",
    killedBy: "LEASE-10",
    mutate: onlyTheNewestLives,
  },
  {
    name: "times leases by the wall clock",
    killedBy: "LEASE-11",
    mutate: (store) => ({
      acquireLease: ({ now, ...request }) =>
        store.acquireLease({ ...request, now: { ...now, monotonicMs: now.wallMs } }),
      heartbeat: ({ now, ...request }) => store.heartbeat({ ...request, now: { ...now, monotonicMs: now.wallMs } }),
    }),
  },
];
