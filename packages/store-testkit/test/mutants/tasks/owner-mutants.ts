import { isFinal, type Store } from "@resumable-mcp/core";
import { storeErrors } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { oneByOne, turn } from "../turn.js";

type Create = Store["createTask"];
type Put = Store["putDocument"];

const uncounted =
  (store: Store): Create =>
  ({ maxUnfinished: _, ...request }) =>
    store.createTask(request);
const uncountedPut =
  (store: Store): Put =>
  ({ counted: _, ...request }) =>
    store.putDocument(request);

/** Counts an owner's unfinished tasks, and makes one more a moment later. */
function countThenCreate(store: Store): Create {
  return async (request) => {
    const { tasks } = await store.listTasks({ owner: request.task.owner, limit: 1_000 });
    const { maxUnfinished } = request;
    await turn();
    if (maxUnfinished !== undefined && tasks.filter(({ status }) => !isFinal(status)).length >= maxUnfinished) {
      throw storeErrors.tooManyUnfinished(maxUnfinished);
    }
    return uncounted(store)(request);
  };
}

/** Puts one document more than there may be, a moment after it has seen that there is room. */
function putLate(store: Store): Put {
  return async (request) => {
    const { counted, expectedVersion } = request;
    if (counted === undefined || expectedVersion > 0) return store.putDocument(request);
    const { id } = await store.putDocument({ ...request, id: `try-${request.id}` });
    await store.deleteDocument(request.kind, id);
    await turn();
    return uncountedPut(store)(request);
  };
}

/** Stores that are wrong about what an owner may have. */
export const ownerMutants: readonly Mutant[] = [
  {
    name: "lets an owner have any number of unfinished tasks",
    killedBy: "OWNER-1",
    mutate: (store) => ({ createTask: uncounted(store) }),
  },
  {
    name: "counts finished tasks among the unfinished ones",
    killedBy: "OWNER-1",
    mutate: (store) => ({
      async createTask(request) {
        const { maxUnfinished, task } = request;
        const { total } = await store.countTasks({ owner: task.owner });
        if (maxUnfinished !== undefined && total >= maxUnfinished) throw storeErrors.tooManyUnfinished(maxUnfinished);
        return store.createTask(request);
      },
    }),
  },
  {
    name: "refuses an owner for the unfinished tasks of others",
    killedBy: "OWNER-1",
    mutate: (store) => ({
      async createTask(request) {
        const { maxUnfinished } = request;
        const { byStatus } = await store.countTasks({});
        if (maxUnfinished !== undefined && (byStatus.pending ?? 0) >= maxUnfinished)
          throw storeErrors.tooManyUnfinished(maxUnfinished);
        return store.createTask(request);
      },
    }),
  },
  {
    name: "counts an owner's tasks before it makes one",
    killedBy: "OWNER-2",
    mutate: (store) => ({ createTask: countThenCreate(store) }),
  },
  {
    name: "counts an owner's tasks and makes one in one step of its process only",
    killedBy: "OWNER-3",
    mutate(store) {
      const exclusive = oneByOne();
      const create = countThenCreate(store);
      return { createTask: (request) => exclusive(() => create(request)) };
    },
  },
  {
    name: "lets any number of failed tasks restart",
    killedBy: "OWNER-4",
    mutate: (store) => ({ commit: ({ maxUnfinished: _, ...request }) => store.commit(request) }),
  },
  {
    name: "counts the tasks that its process made",
    killedBy: "OWNER-5",
    mutate(store) {
      const made = new Set<string>();
      return {
        async createTask(request) {
          const { maxUnfinished, task } = request;
          if (maxUnfinished !== undefined && made.size >= maxUnfinished)
            throw storeErrors.tooManyUnfinished(maxUnfinished);
          made.add(task.id);
          return uncounted(store)(request);
        },
      };
    },
  },
  {
    name: "makes any number of documents of a group",
    killedBy: "OWNER-6",
    mutate: (store) => ({ putDocument: uncountedPut(store) }),
  },
  {
    name: "counts the documents of a group before it makes one",
    killedBy: "OWNER-6",
    mutate: (store) => ({ putDocument: putLate(store) }),
  },
  {
    name: "counts the documents of a group and makes one in one step of its process only",
    killedBy: "OWNER-7",
    mutate(store) {
      const exclusive = oneByOne();
      const put = putLate(store);
      return { putDocument: (request) => exclusive(() => put(request)) };
    },
  },
  {
    name: "lists idle documents of every group",
    killedBy: "OWNER-8",
    mutate: (store) => ({ listIdleDocuments: ({ group: _, ...request }) => store.listIdleDocuments(request) }),
  },
  {
    name: "looks for the idle documents of a group among the first ones of all",
    killedBy: "OWNER-8",
    mutate: (store) => ({
      async listIdleDocuments({ group, ...request }) {
        const first = await store.listIdleDocuments(request);
        if (group === undefined) return first;
        const ofGroup = await store.listIdleDocuments({ ...request, group });
        return ofGroup.filter(({ id }) => first.some((document) => document.id === id));
      },
    }),
  },
];
