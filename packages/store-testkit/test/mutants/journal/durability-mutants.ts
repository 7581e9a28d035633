import { createMemoryStore, isResumableError, type Store } from "@resumable-mcp/core";
import type { Lease, Signal } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { callOf } from "../process-memory.js";

/** Keeps sessions where only this process sees them. */
function privateSessions(): Partial<Store> {
  const own = createMemoryStore();
  return {
    getDocument: own.getDocument,
    putDocument: own.putDocument,
    deleteDocument: own.deleteDocument,
    listIdleDocuments: own.listIdleDocuments,
  };
}

/** Keeps signals in its process, and shows them with the task. */
function privateSignals(store: Store): Partial<Store> {
  const own = new Map<string, Signal[]>();
  return {
    async signal(id, signal) {
      own.set(id, [...(own.get(id) ?? []), { ...signal, id: String(own.size) }]);
    },
    async getTask(id) {
      const snapshot = await store.getTask(id);
      return snapshot && { ...snapshot, signals: own.get(id) ?? [] };
    },
  };
}

/** Counts leases in its process. */
function privateEpochs(store: Store): Partial<Store> {
  const real = new Map<number, Lease>();
  const realOf = (lease: Lease) => real.get(lease.epoch) ?? lease;
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken === undefined) return undefined;
      const epoch = real.size + 1;
      real.set(epoch, taken.lease);
      return { ...taken, lease: { ...taken.lease, epoch } };
    },
    releaseLease: (lease) => store.releaseLease(realOf(lease)),
    deleteTask: (lease) => store.deleteTask(realOf(lease)),
    commit: (request) => store.commit({ ...request, lease: realOf(request.lease) }),
  };
}

/** Knows for which calls tasks finished only as long as its process lives. */
function privateResults(store: Store): Partial<Store> {
  const seen = new Set<string>();
  return {
    async createTask(request) {
      const call = callOf(request.task) ?? "";
      const made = await store.createTask({ ...request, reuseResultMs: seen.has(call) ? request.reuseResultMs : 0 });
      seen.add(call);
      return made;
    },
  };
}

/** Deletes tasks in its process only. */
function privateDeletions(store: Store): Partial<Store> {
  const deleted = new Set<string>();
  return {
    async deleteTask(lease) {
      await store.releaseLease(lease);
      deleted.add(lease.taskId);
    },
    getTask: async (id) => (deleted.has(id) ? undefined : store.getTask(id)),
    async countTasks(query) {
      const counts = await store.countTasks(query);
      return { ...counts, total: counts.total - deleted.size };
    },
  };
}

/** Knows of answers that other processes took only while they wait, or only when they were consumed. */
function privateAnswers(store: Store, forgets: "waiting" | "consumed"): Partial<Store> {
  const taken = new Set<string>();
  return {
    async signal(id, signal) {
      const question = signal.kind === "answer" ? JSON.stringify([id, signal.key]) : "";
      try {
        await store.signal(id, signal);
        taken.add(question);
      } catch (error) {
        const { signals = [] } = (await store.getTask(id)) ?? {};
        const waits = signals.some((other) => other.kind === "answer" && question === JSON.stringify([id, other.key]));
        const isKnown = taken.has(question) || waits !== (forgets === "waiting");
        if (isKnown || !isResumableError(error, "ALREADY_ANSWERED")) throw error;
      }
    },
  };
}

/** Stores that keep in their process what should outlive it. */
export const durabilityMutants: readonly Mutant[] = [
  { name: "keeps sessions in its process", killedBy: "DUR-1", mutate: privateSessions },
  { name: "keeps signals in its process", killedBy: "DUR-1", mutate: privateSignals },
  { name: "writes nothing before it closes", killedBy: "DUR-1", mutate: () => createMemoryStore() },
  {
    name: "knows only the tasks that finished in its process",
    killedBy: "DUR-1",
    mutate(store) {
      const own = new Set<string>();
      return {
        async commit(request) {
          own.add(request.lease.taskId);
          return store.commit(request);
        },
        listExpired: async (request) => (await store.listExpired(request)).filter((id) => own.has(id)),
      };
    },
  },
  { name: "counts epochs in its process", killedBy: "DUR-2", mutate: privateEpochs },
  { name: "forgets with its process which calls have a result", killedBy: "DUR-3", mutate: privateResults },
  {
    name: "forgets with its process which questions have an answer that waits",
    killedBy: "DUR-4",
    mutate: (store) => privateAnswers(store, "waiting"),
  },
  {
    name: "forgets with its process which questions have an answer that was consumed",
    killedBy: "DUR-4",
    mutate: (store) => privateAnswers(store, "consumed"),
  },
  { name: "deletes a task in its process", killedBy: "DUR-5", mutate: privateDeletions },
];
