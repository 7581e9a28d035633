import type { Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";

type Found = Awaited<ReturnType<Store["listRunnable"]>>;

function found(store: Store, change: (found: Found) => Found): Partial<Store> {
  return { listRunnable: async (request) => change(await store.listRunnable(request)) };
}

/** Stores that are wrong about what may run. */
export const runnableMutants: readonly Mutant[] = [
  {
    name: "hands the newest task out first",
    killedBy: "RUN-1",
    mutate: (store) => found(store, ({ tasks, ...rest }) => ({ ...rest, tasks: tasks.toReversed() })),
  },
  {
    name: "hands out more tasks than were asked for",
    killedBy: "RUN-1",
    mutate: (store) => ({ listRunnable: (request) => store.listRunnable({ ...request, limit: 1_000 }) }),
  },
  {
    name: "hands out what a worker runs",
    killedBy: "RUN-1",
    mutate(store) {
      const held = new Map<string, Found["tasks"][number]>();
      return {
        async acquireLease(request) {
          const taken = await store.acquireLease(request);
          if (taken !== undefined) held.set(request.taskId, { ...taken.snapshot.record, dueMs: 0 });
          return taken;
        },
        ...found(store, ({ tasks, ...rest }) => ({ ...rest, tasks: [...held.values(), ...tasks] })),
      };
    },
  },
  {
    name: "hands out tasks of every tool where none is named",
    killedBy: "RUN-2",
    mutate: (store) => ({
      listRunnable: ({ tools, ...request }) =>
        store.listRunnable({ ...request, tools: tools.length > 0 ? tools : ["train", "other"] }),
    }),
  },
  {
    name: "hands out tasks of tools that are not named",
    killedBy: "RUN-2",
    mutate: (store) => ({
      listRunnable: ({ tools, ...request }) => store.listRunnable({ ...request, tools: [...tools, "other"] }),
    }),
  },
  {
    name: "does not tell how often a task has crashed",
    killedBy: "RUN-2",
    mutate: (store) =>
      found(store, ({ tasks, ...rest }) => ({ ...rest, tasks: tasks.map((task) => ({ ...task, crashes: 0 })) })),
  },
  {
    name: "does not tell when a task was due",
    killedBy: "RUN-3",
    mutate: (store) =>
      found(store, ({ tasks, ...rest }) => ({ ...rest, tasks: tasks.map((task) => ({ ...task, dueMs: 0 })) })),
  },
  {
    name: "never says when the next task is due",
    killedBy: "RUN-3",
    mutate: (store) => found(store, ({ tasks }) => ({ tasks })),
  },
  {
    name: "tells when a task of whatever tool is due",
    killedBy: "RUN-3",
    mutate: (store) => ({
      async listRunnable(request) {
        const { tasks } = await store.listRunnable(request);
        const { nextDueMs } = await store.listRunnable({ ...request, tools: [...request.tools, "other"] });
        return { tasks, ...(nextDueMs !== undefined && { nextDueMs }) };
      },
    }),
  },
  {
    name: "hands out what is not due yet",
    killedBy: "RUN-3",
    mutate: (store) => ({
      listRunnable: ({ now, ...request }) =>
        store.listRunnable({ ...request, now: { ...now, wallMs: now.wallMs + 10_000 } }),
    }),
  },
  {
    name: "does not list tasks that are not detached",
    killedBy: "RUN-4",
    mutate: (store) =>
      found(store, ({ tasks, ...rest }) => ({ ...rest, tasks: tasks.filter(({ detached }) => detached) })),
  },
  {
    name: "says that no task needs a caller",
    killedBy: "RUN-5",
    mutate: (store) =>
      found(store, ({ tasks, ...rest }) => ({ ...rest, tasks: tasks.map((task) => ({ ...task, detached: true })) })),
  },
  {
    name: "overlooks a request that waits to be carried out",
    killedBy: "RUN-5",
    mutate: (store) => ({
      async listRunnable(request) {
        const { tasks, ...rest } = await store.listRunnable(request);
        const snapshots = await Promise.all(tasks.map(({ id }) => store.getTask(id)));
        return {
          ...rest,
          tasks: tasks.map((task, at) => ({ ...task, detached: snapshots[at]?.record.detached === true })),
        };
      },
    }),
  },
];
