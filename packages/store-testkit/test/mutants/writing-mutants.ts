import { isFinal, isResumableError, type Store, type TaskEventBody } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";

async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Commits each event by itself. */
async function commitOneByOne(store: Store, request: Parameters<Store["commit"]>[0]): ReturnType<Store["commit"]> {
  let result: Awaited<ReturnType<Store["commit"]>> | undefined;
  const parts: readonly (readonly TaskEventBody[])[] = request.events.map((event) => [event]);
  for (const [index, events] of (parts.length === 0 ? [[]] : parts).entries()) {
    result = await store.commit({ ...request, events, afterSeq: request.afterSeq + index });
    await turn();
  }
  if (result === undefined) throw new Error("A commit has at least one part.");
  return result;
}

/** Gives the newest lease of a task whatever lease is asked with: no fencing. */
function unfenced(store: Store): Partial<Store> {
  const newest = new Map<string, Parameters<Store["releaseLease"]>[0]>();
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken !== undefined) newest.set(request.taskId, taken.lease);
      return taken;
    },
    commit: (request) => store.commit({ ...request, lease: newest.get(request.lease.taskId) ?? request.lease }),
  };
}

/** Creates without its key whatever comes while the same call is still being created. */
function racyCreation(store: Store): Partial<Store> {
  const underWay = new Set<string>();
  return {
    async createTask({ task, ...request }) {
      const call = JSON.stringify([task.owner, task.key]);
      const isRace = underWay.has(call);
      underWay.add(call);
      await turn();
      const made = await store.createTask({ ...request, task: isRace ? { ...task, key: null } : task });
      underWay.delete(call);
      return made;
    },
  };
}

/** Finds calls by owner and key without a mark between them. */
function joinedKeys(store: Store): Partial<Store> {
  const calls = new Map<string, string>();
  return {
    async createTask(request) {
      const call = `${request.task.owner}:${request.task.key}`;
      const present = request.task.key === null ? undefined : await store.getTask(calls.get(call) ?? "none");
      if (present !== undefined && !isFinal(present.record.status)) return { snapshot: present, created: false };
      const made = await store.createTask(request);
      calls.set(call, made.snapshot.record.id);
      return made;
    },
  };
}

/** Stores that are wrong about who stands for what, and who may write. */
export const writingMutants: readonly Mutant[] = [
  {
    name: "looks for the same call before it writes, not while",
    killedBy: "ID-5",
    mutate: racyCreation,
  },
  {
    name: "reuses results for ever",
    killedBy: "ID-9",
    mutate: (store) => ({ createTask: (request) => store.createTask({ ...request, reuseResultMs: 1e12 }) }),
  },
  {
    name: "joins owner and key without a mark between them",
    killedBy: "ID-4",
    mutate: joinedKeys,
  },
  {
    name: "gives every taker a lease",
    killedBy: "LEASE-1",
    mutate: (store) => ({
      async acquireLease(request) {
        const snapshot = await store.getTask(request.taskId);
        const taken = await store.acquireLease(request);
        if (taken !== undefined || snapshot === undefined) return taken;
        return { lease: { taskId: request.taskId, worker: request.worker, epoch: 1e6 }, snapshot };
      },
    }),
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
  {
    name: "takes no notice of heartbeats",
    killedBy: "LEASE-10",
    mutate: () => ({ heartbeat: async () => {} }),
  },
  { name: "does not fence", killedBy: "FENCE-1", mutate: unfenced },
  {
    name: "writes where the journal ends, wherever the writer believes it to be",
    killedBy: "COMMIT-2",
    mutate: (store) => ({
      async commit(request) {
        const lastSeq = (await store.getTask(request.lease.taskId))?.record.lastSeq ?? 0;
        return store.commit({ ...request, afterSeq: lastSeq });
      },
    }),
  },
  {
    name: "writes the events of a commit one by one",
    killedBy: "COMMIT-4",
    mutate: (store) => ({ commit: (request) => commitOneByOne(store, request) }),
  },
  {
    name: "consumes signals before it knows whether it can write",
    killedBy: "COMMIT-2",
    mutate: (store) => ({
      async commit(request) {
        const lastSeq = (await store.getTask(request.lease.taskId))?.record.lastSeq ?? 0;
        if (request.afterSeq !== lastSeq) await store.commit({ ...request, events: [], afterSeq: lastSeq });
        return store.commit(request);
      },
    }),
  },
  {
    name: "says that a restart was done that was refused",
    killedBy: "RESTART-2",
    mutate: (store) => ({
      async commit(request) {
        try {
          return await store.commit(request);
        } catch (error) {
          if (!isResumableError(error, "KEY_TAKEN")) throw error;
          return { lastSeq: request.afterSeq + request.events.length, signals: [] };
        }
      },
    }),
  },
  {
    name: "deletes by a lost lease",
    killedBy: "FENCE-5",
    mutate: (store) => ({
      deleteTask: (lease) =>
        store.deleteTask(lease).catch((error: unknown) => {
          if (!isResumableError(error, "LEASE_LOST")) throw error;
        }),
    }),
  },
];
