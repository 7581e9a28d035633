import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";
import { leaseBook, pretendCommit } from "../process-memory.js";
import { turn } from "../turn.js";

type Commit = Parameters<Store["commit"]>[0];
type Committed = Awaited<ReturnType<Store["commit"]>>;

const dayMs = 24 * 60 * 60 * 1000;

/** Does something else with a commit whose lease was lost; refuses it when that gives nothing. */
function whenLost(store: Store, otherwise: (request: Commit) => Promise<Committed | undefined>): Pick<Store, "commit"> {
  return {
    commit: (request) =>
      store.commit(request).catch(async (error: unknown) => {
        const result = isResumableError(error, "LEASE_LOST") ? await otherwise(request) : undefined;
        if (result === undefined) throw error;
        return result;
      }),
  };
}

/** Takes the lease for the time of one commit. */
async function commitAnyway(store: Store, { lease, ...request }: Commit): Promise<Committed | undefined> {
  const { taskId, worker } = lease;
  const taken = await store.acquireLease({ taskId, worker, ttlMs: 1, now: request.now });
  if (taken === undefined) return undefined;
  const result = await store.commit({ ...request, lease: taken.lease });
  await store.releaseLease(taken.lease);
  return result;
}

/** Remembers for a day that a lease is an old one. */
function forgetsOldEpochs(store: Store): Partial<Store> {
  const takenMs = new Map<number, number>();
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken !== undefined) takenMs.set(taken.lease.epoch, request.now.wallMs);
      return taken;
    },
    ...whenLost(store, async (request) => {
      const since = takenMs.get(request.lease.epoch) ?? Number.POSITIVE_INFINITY;
      return request.now.wallMs - since < dayMs ? undefined : commitAnyway(store, request);
    }),
  };
}

/** Stores that are wrong about who may write. */
export const fenceMutants: readonly Mutant[] = [
  {
    name: "does not fence",
    killedBy: "FENCE-1",
    mutate(store) {
      const { newest, methods } = leaseBook(store);
      const newestOr = (lease: Commit["lease"]) => newest.get(lease.taskId) ?? lease;
      return { ...methods, commit: (request) => store.commit({ ...request, lease: newestOr(request.lease) }) };
    },
  },
  { name: "forgets after a day which epochs are old", killedBy: "FENCE-2", mutate: forgetsOldEpochs },
  {
    name: "believes a process to hold what it took, whatever others did",
    killedBy: "FENCE-3",
    mutate(store) {
      const { newest, methods } = leaseBook(store);
      const isMine = ({ lease }: Commit) => newest.get(lease.taskId)?.epoch === lease.epoch;
      return {
        ...methods,
        ...whenLost(store, async (request) => (isMine(request) ? pretendCommit(request) : undefined)),
      };
    },
  },
  {
    name: "lets a holder write on until another worker takes the task",
    killedBy: "FENCE-4",
    mutate(store) {
      const last = new Map<string, number>();
      return {
        async acquireLease(request) {
          const taken = await store.acquireLease(request);
          if (taken !== undefined) last.set(request.taskId, taken.lease.epoch);
          return taken;
        },
        ...whenLost(store, async (request) =>
          last.get(request.lease.taskId) === request.lease.epoch ? commitAnyway(store, request) : undefined,
        ),
      };
    },
  },
  {
    name: "says of a deletion by a lost lease that it was done",
    killedBy: "FENCE-5",
    mutate: (store) => ({
      deleteTask: (lease) =>
        store.deleteTask(lease).catch((error: unknown) => {
          if (!isResumableError(error, "LEASE_LOST")) throw error;
        }),
    }),
  },
  {
    name: "deletes by a lost lease",
    killedBy: "FENCE-5",
    mutate(store) {
      const { newest, methods } = leaseBook(store);
      return { ...methods, deleteTask: (lease) => store.deleteTask(newest.get(lease.taskId) ?? lease) };
    },
  },
  {
    name: "deletes by a lease that was given back",
    killedBy: "FENCE-5",
    mutate(store) {
      const released = new Map<string, number>();
      return {
        async releaseLease(lease) {
          released.set(lease.taskId, lease.epoch);
          await store.releaseLease(lease);
        },
        async deleteTask(lease) {
          if (released.get(lease.taskId) !== lease.epoch) return store.deleteTask(lease);
          const { taskId, worker } = lease;
          const again = await store.acquireLease({ taskId, worker, ttlMs: 1, now: { wallMs: 0, monotonicMs: 0 } });
          await store.deleteTask(again?.lease ?? lease);
        },
      };
    },
  },
  {
    name: "consumes signals before it looks at the lease",
    killedBy: "FENCE-6",
    mutate(store) {
      const { newest, methods } = leaseBook(store);
      return {
        ...methods,
        ...whenLost(store, async (request) => {
          const lease = newest.get(request.lease.taskId);
          if (lease !== undefined) await store.commit({ ...request, lease, events: [] });
          return undefined;
        }),
      };
    },
  },
  {
    name: "acknowledges a late commit that counts for nothing",
    killedBy: "FENCE-7",
    mutate(store) {
      const { commit } = whenLost(store, async (request) => pretendCommit(request));
      return {
        async commit(request) {
          await turn();
          return commit(request);
        },
      };
    },
  },
];
