import type { Store } from "@resumable-mcp/core";
import type { StoredDocument, TaskSnapshot } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";

/** Reads a task once, and again only when this process itself has changed it. */
function cachesTasks(store: Store): Partial<Store> {
  const cached = new Map<string, TaskSnapshot | undefined>();
  const afresh = <Result>(id: string, change: Promise<Result>): Promise<Result> => {
    cached.delete(id);
    return change.finally(() => cached.delete(id));
  };
  return {
    async getTask(id) {
      const snapshot = cached.get(id) ?? (await store.getTask(id));
      cached.set(id, snapshot);
      return snapshot;
    },
    acquireLease: (request) => afresh(request.taskId, store.acquireLease(request)),
    releaseLease: (lease) => afresh(lease.taskId, store.releaseLease(lease)),
    commit: (request) => afresh(request.lease.taskId, store.commit(request)),
    signal: (id, signal) => afresh(id, store.signal(id, signal)),
    deleteTask: (lease) => afresh(lease.taskId, store.deleteTask(lease)),
  };
}

/** Reads a document once, and again only when this process itself has changed it. */
function cachesDocuments(store: Store): Partial<Store> {
  const cached = new Map<string, StoredDocument>();
  return {
    async getDocument(kind, id) {
      return cached.get(id) ?? store.getDocument(kind, id);
    },
    async putDocument(request) {
      const session = await store.putDocument(request);
      cached.set(request.id, session);
      return session;
    },
    async deleteDocument(kind, id) {
      cached.delete(id);
      await store.deleteDocument(kind, id);
    },
  };
}

/** Makes one of its views once, and again only when this process itself has changed a task. */
function cachesView(name: string, view: (store: Store, cache: Cache) => Partial<Store>): Mutant {
  return {
    name: `keeps ${name} until its own process changes a task`,
    killedBy: "VIS-2",
    mutate(store) {
      let cached: unknown;
      const cache = async <Result>(make: () => Promise<Result>) => {
        cached ??= await make();
        // It comes from the same method: its type is that method's.
        return cached as Result;
      };
      const afresh = <Result>(change: Promise<Result>): Promise<Result> =>
        change.finally(() => {
          cached = undefined;
        });
      return {
        ...view(store, cache),
        createTask: (request) => afresh(store.createTask(request)),
        acquireLease: (request) => afresh(store.acquireLease(request)),
        releaseLease: (lease) => afresh(store.releaseLease(lease)),
        commit: (request) => afresh(store.commit(request)),
        signal: (id, signal) => afresh(store.signal(id, signal)),
        deleteTask: (lease) => afresh(store.deleteTask(lease)),
      };
    },
  };
}

type Cache = <Result>(make: () => Promise<Result>) => Promise<Result>;

/** Stores that are wrong about when something can be seen. */
export const visibilityMutants: readonly Mutant[] = [
  {
    name: "shows a commit only at the next look",
    killedBy: "VIS-1",
    mutate: (store) => {
      const seen = new Map<string, TaskSnapshot | undefined>();
      return {
        async getTask(id) {
          const before = seen.get(id);
          const now = await store.getTask(id);
          seen.set(id, now);
          return before?.record.lastSeq === now?.record.lastSeq ? now : (before ?? now);
        },
      };
    },
  },
  { name: "keeps what it has read until its own process changes it", killedBy: "VIS-2", mutate: cachesTasks },
  cachesView("its list", (store, cache) => ({ listTasks: (query) => cache(() => store.listTasks(query)) })),
  cachesView("its counts", (store, cache) => ({ countTasks: (query) => cache(() => store.countTasks(query)) })),
  cachesView("what may run", (store, cache) => ({
    listRunnable: (request) => cache(() => store.listRunnable(request)),
  })),
  cachesView("what is to be swept", (store, cache) => ({
    listExpired: (request) => cache(() => store.listExpired(request)),
  })),
  { name: "keeps the sessions that its process has put", killedBy: "VIS-3", mutate: cachesDocuments },
];
