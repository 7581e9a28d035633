import { createMemoryStore, isResumableError, type Store } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";

/** Keeps sessions where only this process sees them. */
function privateSessions(): Partial<Store> {
  const own = createMemoryStore();
  return {
    getSession: own.getSession,
    putSession: own.putSession,
    deleteSession: own.deleteSession,
    listIdleSessions: own.listIdleSessions,
  };
}

/** Stores that are wrong about signals, hints, sessions, crashes and closing. */
export const otherMutants: readonly Mutant[] = [
  {
    name: "takes a second answer when the first was consumed",
    killedBy: "SIGNAL-5",
    mutate: (store) => ({
      async signal(id, signal) {
        const before = (await store.getTask(id))?.signals ?? [];
        try {
          await store.signal(id, signal);
        } catch (error) {
          const isPending = before.some(({ kind }) => kind === "answer");
          if (isPending || !isResumableError(error, "ALREADY_ANSWERED")) throw error;
        }
      },
    }),
  },
  {
    name: "consumes every signal there is",
    killedBy: "SIGNAL-8",
    mutate: (store) => ({
      async commit(request) {
        const { signals } = (await store.getTask(request.lease.taskId)) ?? { signals: [] };
        const all = signals.map(({ id }) => id);
        return store.commit({ ...request, consume: request.consume.length === 0 ? [] : all });
      },
    }),
  },
  {
    name: "takes a cancellation back when a resume comes",
    killedBy: "SIGNAL-3",
    mutate: (store) => ({
      async getTask(id) {
        const snapshot = await store.getTask(id);
        if (!snapshot?.signals.some(({ kind }) => kind === "resume")) return snapshot;
        return { ...snapshot, signals: snapshot.signals.filter(({ kind }) => kind !== "cancel") };
      },
    }),
  },
  {
    name: "goes on hinting at a watcher that stopped",
    killedBy: "WATCH-3",
    mutate: (store) => ({
      watch(id, wake) {
        store.watch(id, wake);
        return () => {};
      },
    }),
  },
  {
    name: "lets the last writer of a session win",
    killedBy: "SESSION-2",
    mutate: (store) => ({
      async putSession(request) {
        const expectedVersion = (await store.getSession(request.id))?.version ?? 0;
        return store.putSession({ ...request, expectedVersion });
      },
    }),
  },
  {
    name: "keeps sessions under ids in lower case",
    killedBy: "SESSION-6",
    mutate: (store) => ({
      putSession: (request) => store.putSession({ ...request, id: request.id.toLowerCase() }),
      getSession: (id) => store.getSession(id.toLowerCase()),
    }),
  },
  { name: "keeps sessions in its process", killedBy: "DUR-1", mutate: privateSessions },
  {
    name: "answers after it was closed",
    killedBy: "CLOSE-1",
    mutate: (store) => ({ listTasks: (query) => store.listTasks(query).catch(() => ({ tasks: [] })) }),
  },
  {
    name: "keeps its leases when it closes",
    killedBy: "CLOSE-2",
    mutate: () => ({ close: async () => {} }),
  },
  {
    name: "declares more than it was tested for",
    killedBy: "CAP-1",
    mutate: () => ({ capabilities: { durability: "eternal" as "machine", shared: false } }),
  },
];
