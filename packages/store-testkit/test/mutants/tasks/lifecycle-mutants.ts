import { ResumableError, type Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";

type Method = Exclude<keyof Store, "contractVersion" | "capabilities" | "close" | "watch">;

const methods: { readonly [Name in Method]: true } = {
  open: true,
  createTask: true,
  getTask: true,
  listTasks: true,
  listExpired: true,
  countTasks: true,
  listRunnable: true,
  acquireLease: true,
  heartbeat: true,
  listOffers: true,
  releaseLease: true,
  commit: true,
  readEvents: true,
  readItems: true,
  putChunk: true,
  readChunk: true,
  signal: true,
  deleteTask: true,
  getDocument: true,
  putDocument: true,
  deleteDocument: true,
  listIdleDocuments: true,
  checkHealth: true,
  listQuotas: true,
};

/** Says nothing of it when one method is called after the end. */
function answersAfterClose(method: string): Mutant {
  return {
    name: `answers ${method} after it was closed`,
    killedBy: "CLOSE-1",
    mutate(store) {
      let isClosed = false;
      const good: unknown = Reflect.get(store, method);
      return {
        [method]: async (...given: readonly unknown[]) =>
          isClosed || typeof good !== "function" ? undefined : Reflect.apply(good, store, given),
        async close() {
          isClosed = true;
          await store.close();
        },
      };
    },
  };
}

/** Stores that are wrong about their beginning and their end, and about themselves. */
export const lifecycleMutants: readonly Mutant[] = [
  {
    name: "refuses to be opened twice",
    killedBy: "OPEN-1",
    mutate(store) {
      let isOpen = false;
      return {
        async open() {
          if (isOpen)
            throw new ResumableError("STORE_READ_FAILED", "It is open.", { details: { path: "", reason: "" } });
          isOpen = true;
          await store.open();
        },
      };
    },
  },
  {
    name: "refuses a task before it was opened",
    killedBy: "OPEN-2",
    mutate(store) {
      let isOpen = false;
      return {
        async open() {
          isOpen = true;
          await store.open();
        },
        async createTask(request) {
          if (isOpen) return store.createTask(request);
          throw new ResumableError("STORE_CLOSED", "The store is not open yet.", { details: {} });
        },
      };
    },
  },
  ...Object.keys(methods).map(answersAfterClose),
  {
    name: "takes watchers after it was closed",
    killedBy: "CLOSE-1",
    mutate(store) {
      let isClosed = false;
      return {
        watch: (id, wake) => (isClosed ? () => {} : store.watch(id, wake)),
        async close() {
          isClosed = true;
          await store.close();
        },
      };
    },
  },
  {
    name: "keeps its leases when it closes",
    killedBy: "CLOSE-2",
    mutate: () => ({ close: async () => {} }),
  },
  {
    name: "gives up only its newest lease when it closes",
    killedBy: "CLOSE-2",
    mutate(store) {
      const held: Lease[] = [];
      return {
        async acquireLease(request) {
          const taken = await store.acquireLease(request);
          if (taken !== undefined) held.push(taken.lease);
          return taken;
        },
        async close() {
          const newest = held.at(-1);
          if (newest !== undefined) await store.releaseLease(newest);
        },
      };
    },
  },
  {
    name: "refuses to be closed twice",
    killedBy: "CLOSE-3",
    mutate(store) {
      let isClosed = false;
      return {
        async close() {
          if (isClosed) throw new ResumableError("STORE_CLOSED", "The store was closed.", { details: {} });
          isClosed = true;
          await store.close();
        },
      };
    },
  },
  {
    name: "says that it is ill while it is well",
    killedBy: "HEALTH-1",
    mutate: () => ({
      async checkHealth() {
        throw new ResumableError("STORE_MISSING", "It is not there.", { details: { path: "", reason: "made up" } });
      },
    }),
  },
  {
    name: "keeps a later version of the contract",
    killedBy: "CONTRACT-1",
    mutate: () => ({ contractVersion: 2 as 1 }),
  },
  {
    name: "declares a durability that does not exist",
    killedBy: "CAP-1",
    mutate: () => ({ capabilities: { durability: "eternal" as "machine", shared: false } }),
  },
  {
    name: "declares a durability without a test",
    killedBy: "CAP-1",
    lacks: ["reopen"],
    mutate: () => ({ capabilities: { durability: "process", shared: false } }),
  },
  ...(["second", "far"] as const).map(
    (ability): Mutant => ({
      name: `declares to be shared, and was not tested with ${ability}`,
      killedBy: "CAP-1",
      lacks: [ability],
      mutate: () => ({ capabilities: { durability: "none", shared: true } }),
    }),
  ),
];
