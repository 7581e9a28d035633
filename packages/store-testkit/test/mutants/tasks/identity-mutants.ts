import { isFinal, type Store } from "@resumable-mcp/core";
import { isReusable, type TaskSnapshot } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { callOf, createApart, isUnfinished, standsIn } from "../process-memory.js";
import { turn } from "../turn.js";

type Created = ReturnType<Store["createTask"]>;

/** Creates otherwise whatever comes while the same is still being created. */
function racyCreation(
  store: Store,
  nameOf: (task: Parameters<Store["createTask"]>[0]["task"]) => string,
  otherwise: Store["createTask"],
): Partial<Store> {
  const underWay = new Set<string>();
  return {
    async createTask(request) {
      const name = nameOf(request.task);
      const isRace = underWay.has(name);
      underWay.add(name);
      await turn();
      const made = await (isRace ? otherwise(request) : store.createTask(request));
      underWay.delete(name);
      return made;
    },
  };
}

/** Makes the task under an id of the store's own. */
function createRenamed(store: Store, request: Parameters<Store["createTask"]>[0]): Created {
  const id = `${request.task.id}-${Math.random().toString(36).slice(2, 10)}`;
  return store.createTask({ ...request, task: { ...request.task, id } });
}

/** Gives tasks with some ids a new id, as if they were not there. */
function overlooks(store: Store, isOverlooked: (isFinished: boolean) => boolean): Partial<Store> {
  return {
    async createTask(request) {
      const present = await store.getTask(request.task.id);
      const overlooked = present !== undefined && isOverlooked(isFinal(present.record.status));
      return overlooked ? createRenamed(store, request) : store.createTask(request);
    },
  };
}

/** Knows only the tasks of the calls that came to this process, and never makes two of one at once. */
function callsOfOneProcess(store: Store): Partial<Store> {
  const calls = new Map<string, Created>();
  return {
    createTask(request) {
      const call = callOf(request.task);
      if (call === undefined) return store.createTask(request);
      const next = async (before: Created | undefined): Created => {
        const known = await before;
        const present = await store.getTask(known?.snapshot.record.id ?? "none");
        const stands =
          present !== undefined && (isUnfinished(present) || isReusable(present, request, request.now.wallMs));
        return stands ? { snapshot: present, created: false } : createApart(store, request);
      };
      const made = next(calls.get(call));
      calls.set(call, made);
      return made;
    },
  };
}

/** Returns some finished tasks to calls that continue. */
function continuesAfter(store: Store, ends: (snapshot: TaskSnapshot) => boolean): Partial<Store> {
  let continues = false;
  const { createTask = store.createTask } = standsIn(store, callOf, (snapshot) => continues && ends(snapshot));
  return {
    createTask(request) {
      continues = request.continueFailed === true;
      return createTask(request);
    },
  };
}

/** Stores that are wrong about which task belongs to a call. */
export const identityMutants: readonly Mutant[] = [
  {
    name: "shows a task before its journal has begun",
    killedBy: "ID-1",
    mutate: (store) => ({
      async readEvents(id, range) {
        const page = await store.readEvents(id, range);
        return page.lastSeq === 1 ? { events: [], lastSeq: 0 } : page;
      },
    }),
  },
  {
    name: "gives the id of a finished task to a new one",
    killedBy: "ID-2",
    mutate: (store) => overlooks(store, (isFinished) => isFinished),
  },
  {
    name: "finds a task by its id only when it has finished",
    killedBy: "ID-2",
    mutate: (store) => overlooks(store, (isFinished) => !isFinished),
  },
  {
    name: "makes a task for every call",
    killedBy: "ID-3",
    mutate: (store) => ({ createTask: (request) => createApart(store, request) }),
  },
  {
    name: "lets a call join only a task that has not begun",
    killedBy: "ID-3",
    mutate: (store) => ({
      async createTask(request) {
        const made = await store.createTask(request);
        return made.snapshot.record.status === "running"
          ? createRenamed(store, { ...request, task: { ...request.task, key: null } })
          : made;
      },
    }),
  },
  {
    name: "joins owner and key without a mark between them",
    killedBy: "ID-4",
    mutate: (store) =>
      standsIn(store, ({ owner, key }) => (key === null ? undefined : `${owner}:${key}`), isUnfinished),
  },
  {
    name: "lets any owner of the same call join",
    killedBy: "ID-4",
    mutate: (store) => standsIn(store, ({ key }) => key ?? undefined, isUnfinished),
  },
  {
    name: "takes owners that differ in case for one",
    killedBy: "ID-4",
    mutate: (store) => standsIn(store, ({ owner, key }) => callOf({ owner: owner.toLowerCase(), key }), isUnfinished),
  },
  {
    name: "looks for the same call before it writes, not while",
    killedBy: "ID-5",
    mutate: (store) =>
      racyCreation(
        store,
        ({ owner, key }) => JSON.stringify([owner, key]),
        (request) => createApart(store, request),
      ),
  },
  {
    name: "knows only the calls that came to its own process",
    killedBy: "ID-6",
    mutate: callsOfOneProcess,
  },
  {
    name: "looks for the id before it writes, not while",
    killedBy: "ID-7",
    mutate: (store) =>
      racyCreation(
        store,
        ({ id }) => id,
        (request) => createRenamed(store, request),
      ),
  },
  {
    name: "uses no result again",
    killedBy: "ID-8",
    mutate: (store) => ({ createTask: (request) => store.createTask({ ...request, reuseResultMs: 0 }) }),
  },
  {
    name: "reuses results without end",
    killedBy: "ID-9",
    mutate: (store) => ({ createTask: (request) => store.createTask({ ...request, reuseResultMs: 1e12 }) }),
  },
  {
    name: "does not notice that a result was delivered",
    killedBy: "ID-10",
    mutate: (store) => ({
      signal: async (id, signal) => (signal.kind === "delivered" ? undefined : store.signal(id, signal)),
    }),
  },
  {
    name: "uses a failed task again",
    killedBy: "ID-11",
    mutate: (store) => standsIn(store, callOf, ({ record }) => record.status === "failed"),
  },
  {
    name: "uses a cancelled task again",
    killedBy: "ID-11",
    mutate: (store) => standsIn(store, callOf, ({ record }) => record.status === "cancelled"),
  },
  {
    name: "takes all calls without a key for one",
    killedBy: "ID-12",
    mutate: (store) => standsIn(store, ({ owner, key }) => (key === null ? owner : undefined), isUnfinished),
  },
  {
    name: "makes a new task for a call that continues a failed one",
    killedBy: "ID-13",
    mutate: (store) => ({ createTask: ({ continueFailed: _, ...request }) => store.createTask(request) }),
  },
  {
    name: "lets every call continue a failed task",
    killedBy: "ID-11",
    mutate: (store) => ({ createTask: (request) => store.createTask({ ...request, continueFailed: true }) }),
  },
  {
    name: "continues after a failure that is terminal",
    killedBy: "ID-14",
    mutate: (store) => continuesAfter(store, ({ record }) => record.error?.terminal === true),
  },
  {
    name: "continues after a cancellation",
    killedBy: "ID-14",
    mutate: (store) => continuesAfter(store, ({ record }) => record.status === "cancelled"),
  },
  {
    name: "does not go by when a call was accepted",
    killedBy: "ID-15",
    mutate: (store) => ({ createTask: ({ acceptedMs: _, ...request }) => store.createTask(request) }),
  },
  {
    name: "gives a call that was accepted earlier any result",
    killedBy: "ID-15",
    mutate: (store) => ({
      createTask: ({ acceptedMs, ...request }) =>
        store.createTask({ ...request, acceptedMs: acceptedMs === undefined ? undefined : 0 }),
    }),
  },
];
