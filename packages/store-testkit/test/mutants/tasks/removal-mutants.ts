import { isResumableError, ResumableError, type Store } from "@resumable-mcp/core";
import { summarise, type TaskSnapshot } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { callOf, pretendCommit } from "../process-memory.js";

/** Remembers how the tasks were that were deleted. */
function gravestones(store: Store): { readonly graves: ReadonlyMap<string, TaskSnapshot> } & Pick<Store, "deleteTask"> {
  const graves = new Map<string, TaskSnapshot>();
  return {
    graves,
    async deleteTask(lease) {
      const snapshot = await store.getTask(lease.taskId);
      await store.deleteTask(lease);
      if (snapshot !== undefined) graves.set(lease.taskId, snapshot);
    },
  };
}

function notFound(taskId: string): ResumableError {
  return new ResumableError("TASK_NOT_FOUND", `There is no task ${taskId}.`, { details: { taskId } });
}

/** Continues to show deleted tasks in one of its views. */
function haunted(
  name: string,
  view: (store: Store, graves: ReadonlyMap<string, TaskSnapshot>) => Partial<Store>,
): Mutant {
  return {
    name,
    killedBy: "DELETE-1",
    mutate(store) {
      const { graves, deleteTask } = gravestones(store);
      return { deleteTask, ...view(store, graves) };
    },
  };
}

const views: readonly Mutant[] = [
  haunted("shows a task that was deleted", (store, graves) => ({
    getTask: async (id) => graves.get(id) ?? store.getTask(id),
  })),
  haunted("lists a task that was deleted", (store, graves) => ({
    async listTasks(query) {
      const { tasks } = await store.listTasks(query);
      return { tasks: [...tasks, ...[...graves.values()].map(({ record }) => summarise(record, record.status))] };
    },
  })),
  haunted("counts a task that was deleted", (store, graves) => ({
    async countTasks(query) {
      const counts = await store.countTasks(query);
      return { ...counts, total: counts.total + graves.size };
    },
  })),
  haunted("sweeps a task that was deleted", (store, graves) => ({
    listExpired: async (request) => [...(await store.listExpired(request)), ...graves.keys()],
  })),
  haunted("hands a task out that was deleted", (store, graves) => ({
    async listRunnable(request) {
      const found = await store.listRunnable(request);
      const ghosts = [...graves.values()].map(({ record }) => record);
      return {
        ...found,
        tasks: [
          ...found.tasks,
          ...ghosts.map(({ id, owner, tool, toolVersion, crashes, detached }) => ({
            ...{ id, owner, tool, toolVersion, dueMs: 0, crashes, detached },
          })),
        ],
      };
    },
  })),
  haunted("gives an empty journal for a task that was deleted", (store, graves) => ({
    readEvents: async (id, range) => (graves.has(id) ? { events: [], lastSeq: 0 } : store.readEvents(id, range)),
  })),
  haunted("gives the items of a task that was deleted", (store, graves) => ({
    readItems: async (id, range) =>
      graves.has(id) ? { items: [], next: range.after, total: 1 } : store.readItems(id, range),
  })),
  haunted("takes a signal for a task that was deleted", (store, graves) => ({
    signal: async (id, signal) => (graves.has(id) ? undefined : store.signal(id, signal)),
  })),
];

/** Answers for a missing task instead of saying that it is not there. */
function instead<Result>(work: Promise<Result>, answer: Result): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isResumableError(error, "TASK_NOT_FOUND")) throw error;
    return answer;
  });
}

/** Stores that are wrong about deleted tasks. */
export const removalMutants: readonly Mutant[] = [
  ...views,
  {
    name: "lets a call join the task that was deleted",
    killedBy: "DELETE-2",
    mutate(store) {
      const { graves, deleteTask } = gravestones(store);
      return {
        deleteTask,
        async createTask(request) {
          const call = callOf(request.task);
          const grave = [...graves.values()].find(({ record }) => call !== undefined && callOf(record) === call);
          if (grave !== undefined) throw notFound(grave.record.id);
          return store.createTask(request);
        },
      };
    },
  },
  {
    name: "forgets who stood for a call before the task that was deleted",
    killedBy: "DELETE-4",
    mutate(store) {
      const { graves, deleteTask } = gravestones(store);
      return {
        deleteTask,
        createTask(request) {
          const call = callOf(request.task);
          const isFree = [...graves.values()].some(({ record }) => call !== undefined && callOf(record) === call);
          return store.createTask(isFree ? { ...request, reuseResultMs: 0 } : request);
        },
      };
    },
  },
  {
    name: "acknowledges the commit of a task that was deleted",
    killedBy: "DELETE-3",
    mutate: (store) => ({
      commit: (request) => instead(store.commit(request), pretendCommit(request)),
    }),
  },
  {
    name: "brings a deleted task back by a late commit",
    killedBy: "DELETE-3",
    mutate(store) {
      const { graves, deleteTask } = gravestones(store);
      return {
        deleteTask,
        async commit(request) {
          const grave = graves.get(request.lease.taskId);
          if (grave === undefined) return store.commit(request);
          await store.createTask({ task: grave.record, reuseResultMs: 0, now: request.now });
          throw notFound(request.lease.taskId);
        },
      };
    },
  },
  {
    name: "says of a missing task that its journal is empty",
    killedBy: "MISSING-1",
    mutate: (store) => ({
      readEvents: (id, range) => instead(store.readEvents(id, range), { events: [], lastSeq: 0 }),
    }),
  },
  {
    name: "says of a missing task that it has no items",
    killedBy: "MISSING-1",
    mutate: (store) => ({
      readItems: (id, range) => instead(store.readItems(id, range), { items: [], next: range.after, total: 0 }),
    }),
  },
  {
    name: "says of a missing task that a worker holds it",
    killedBy: "MISSING-1",
    mutate: (store) => ({ acquireLease: (request) => instead(store.acquireLease(request), undefined) }),
  },
  {
    name: "drops a signal for a missing task",
    killedBy: "MISSING-1",
    mutate: (store) => ({ signal: (id, signal) => instead(store.signal(id, signal), undefined) }),
  },
  {
    name: "refuses to say that a task is missing",
    killedBy: "MISSING-1",
    mutate: (store) => ({
      async getTask(id) {
        const snapshot = await store.getTask(id);
        if (snapshot === undefined) throw notFound(id);
        return snapshot;
      },
    }),
  },
];
