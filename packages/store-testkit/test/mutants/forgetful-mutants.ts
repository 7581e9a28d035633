import { isResumableError } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";

/** Stores that leave something out. */
export const forgetfulMutants: readonly Mutant[] = [
  {
    name: "does not notice that a result was delivered",
    killedBy: "ID-10",
    mutate: (store) => ({
      signal: async (id, signal) => (signal.kind === "delivered" ? undefined : store.signal(id, signal)),
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
    name: "lets no lease expire",
    killedBy: "LEASE-9",
    mutate: (store) => ({ acquireLease: (request) => store.acquireLease({ ...request, ttlMs: 1e12 }) }),
  },
  {
    name: "acknowledges a late commit that counts for nothing",
    killedBy: "FENCE-7",
    mutate: (store) => ({
      async commit(request) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        try {
          return await store.commit(request);
        } catch (error) {
          if (!isResumableError(error, "LEASE_LOST")) throw error;
          return { lastSeq: request.afterSeq + request.events.length, signals: [] };
        }
      },
    }),
  },
  {
    name: "counts the items of a page wrongly",
    killedBy: "ITEM-1",
    mutate: (store) => ({
      readItems: async (id, range) => ({ ...(await store.readItems(id, range)), next: range.after + range.limit }),
    }),
  },
  {
    name: "says of a missing task that its journal is empty",
    killedBy: "MISSING-1",
    mutate: (store) => ({
      readEvents: async (id, range) =>
        (await store.getTask(id)) === undefined ? { events: [], lastSeq: 0 } : store.readEvents(id, range),
    }),
  },
  {
    name: "counts the tasks of all owners together",
    killedBy: "LIST-7",
    mutate: (store) => ({ countTasks: () => store.countTasks({}) }),
  },
  {
    name: "hands tasks out that wait for their caller",
    killedBy: "RUN-4",
    mutate: (store) => ({ listRunnable: (request) => store.listRunnable({ ...request, recover: "all" }) }),
  },
  {
    name: "hints only at tasks that are named",
    killedBy: "WATCH-2",
    mutate: (store) => ({ watch: (id, wake) => (id === undefined ? () => {} : store.watch(id, wake)) }),
  },
  {
    name: "lists every session as idle",
    killedBy: "SESSION-5",
    mutate: (store) => ({
      listIdleSessions: (request) => store.listIdleSessions({ ...request, idleSinceMs: 1e15 }),
    }),
  },
];
