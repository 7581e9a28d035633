import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";
import { callOf, createApart, isUnfinished, pretendCommit } from "../process-memory.js";
import { turn } from "../turn.js";

type Created = Awaited<ReturnType<Store["createTask"]>>;

const restarts = ({ events }: Parameters<Store["commit"]>[0]) => events.some(({ type }) => type === "restarted");

/** Makes a new task instead of joining some. */
function neverJoins(store: Store, to: (found: Created) => boolean): Partial<Store> {
  return {
    async createTask(request) {
      const found = await store.createTask(request);
      const isRepeated = found.created || found.snapshot.record.id === request.task.id;
      return isRepeated || !to(found) ? found : createApart(store, request);
    },
  };
}

/** Gives a call to the task that was made last for it, whatever restarted since. */
function lastMadeStands(store: Store): Partial<Store> {
  const lastMade = new Map<string | undefined, string>();
  return {
    async createTask(request) {
      const call = callOf(request.task);
      const found = await store.createTask(request);
      const isOther = !found.created && call !== undefined && lastMade.get(call) !== found.snapshot.record.id;
      const made = isOther ? await createApart(store, request) : found;
      lastMade.set(call, made.snapshot.record.id);
      return made;
    },
  };
}

/** Looks for a task of the same call before a restart, and writes a moment later. */
function racyRestart(store: Store): Partial<Store> {
  const underWay = new Set<string>();
  return {
    async commit(request) {
      if (!restarts(request)) return store.commit(request);
      underWay.add(request.lease.taskId);
      await turn();
      return store.commit(request).finally(() => underWay.delete(request.lease.taskId));
    },
    createTask: (request) => (underWay.size > 0 ? createApart(store, request) : store.createTask(request)),
  };
}

/** Looks for finished tasks of a call that others made, and makes a new one a moment later. */
function racyWithOthers(store: Store): Partial<Store> {
  const own = new Set<string | undefined>([undefined]);
  return {
    async commit(request) {
      if (restarts(request)) await turn();
      return store.commit(request);
    },
    async createTask(request) {
      const call = callOf(request.task);
      if (own.has(call)) return store.createTask(request);
      own.add(call);
      const { tasks } = await store.listTasks({ owner: request.task.owner, limit: 1_000 });
      const snapshots = await Promise.all(tasks.map(({ id }) => store.getTask(id)));
      const same = snapshots.filter((snapshot) => snapshot !== undefined && callOf(snapshot.record) === call);
      const isFree = same.length > 0 && same.every((snapshot) => snapshot?.record.status === "failed");
      await turn();
      return isFree ? createApart(store, request) : store.createTask(request);
    },
  };
}

/** Stores that are wrong about new generations. */
export const restartMutants: readonly Mutant[] = [
  {
    name: "leaves the call free when a task restarts",
    killedBy: "RESTART-1",
    mutate: (store) => neverJoins(store, ({ snapshot }) => snapshot.record.generation > 1 && isUnfinished(snapshot)),
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
          return pretendCommit(request);
        }
      },
    }),
  },
  { name: "takes the task that was made last for the one of the call", killedBy: "RESTART-3", mutate: lastMadeStands },
  {
    name: "looks for another task of the call before a restart, not while",
    killedBy: "RESTART-4",
    mutate: racyRestart,
  },
  { name: "keeps a restart and a creation apart only in its process", killedBy: "RESTART-5", mutate: racyWithOthers },
];
