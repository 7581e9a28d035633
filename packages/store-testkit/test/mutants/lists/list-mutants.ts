import type { Store } from "@resumable-mcp/core";
import type { summarise, TaskSummary } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";

const everything = 1_000;

/** Lists in an order of its own; a cursor is the id of the last task that was seen. */
function arranged(store: Store, arrange: (tasks: readonly TaskSummary[]) => readonly TaskSummary[]): Partial<Store> {
  return {
    async listTasks({ cursor, limit, ...query }) {
      const all = arrange((await store.listTasks({ ...query, limit: everything })).tasks);
      const from = all.findIndex(({ id }) => id === cursor) + 1;
      if (from === 0 && cursor !== undefined) return store.listTasks({ ...query, cursor, limit });
      const tasks = all.slice(from, from + limit);
      const last = from + limit < all.length ? tasks.at(-1) : undefined;
      return { tasks, ...(last && { nextCursor: last.id }) };
    },
  };
}

/** Lists tasks with a part of the journal's own view. */
function listedAs(
  store: Store,
  change: (summary: TaskSummary, record: Parameters<typeof summarise>[0]) => TaskSummary,
): Partial<Store> {
  return {
    async listTasks(query) {
      const page = await store.listTasks(query);
      const records = await Promise.all(page.tasks.map(async ({ id }) => (await store.getTask(id))?.record));
      const tasks = page.tasks.map((summary, index) => {
        const record = records[index];
        return record === undefined ? summary : change(summary, record);
      });
      return { ...page, tasks };
    },
  };
}

/** Pages by a mark that it makes of the last task of a page, or of its place. */
const pagingMutants: readonly Mutant[] = [
  {
    name: "lists tasks oldest first",
    killedBy: "LIST-1",
    mutate: (store) => arranged(store, (tasks) => tasks.toReversed()),
  },
  {
    name: "lists those tasks first that were written last",
    killedBy: "LIST-1",
    mutate: (store) =>
      arranged(store, (tasks) => tasks.toSorted((left, right) => (left.updatedAt < right.updatedAt ? 1 : -1))),
  },
  {
    name: "says of every full page that there are more",
    killedBy: "LIST-1",
    mutate: (store) => ({
      async listTasks(query) {
        const page = await store.listTasks(query);
        const last = page.tasks.length === query.limit ? page.tasks.at(-1) : undefined;
        return { ...page, ...(last && { nextCursor: `${last.createdAt} ${last.id}` }) };
      },
    }),
  },
  {
    name: "pages by time alone",
    killedBy: "LIST-2",
    mutate: (store) => ({
      async listTasks({ cursor, limit, ...query }) {
        const { tasks } = await store.listTasks({ ...query, limit: everything });
        const rest = tasks.filter(({ createdAt }) => cursor === undefined || createdAt < cursor);
        const last = rest[limit - 1];
        const more = rest.length > limit && last !== undefined ? { nextCursor: last.createdAt } : {};
        return { tasks: rest.slice(0, limit), ...more };
      },
    }),
  },
  {
    name: "pages by offset",
    killedBy: "LIST-3",
    mutate: (store) => ({
      async listTasks({ cursor, limit, ...query }) {
        const from = Number(cursor ?? 0);
        const { tasks } = await store.listTasks({ ...query, limit: everything });
        const more = tasks.length > from + limit ? { nextCursor: String(from + limit) } : {};
        return { tasks: tasks.slice(from, from + limit), ...more };
      },
    }),
  },
  {
    name: "begins again at a cursor that it does not understand",
    killedBy: "LIST-9",
    mutate: (store) => ({
      listTasks: ({ cursor, ...query }) =>
        store.listTasks({ ...query, ...(cursor?.startsWith("2") ? { cursor } : {}) }),
    }),
  },
];

/** Stores that are wrong about lists and counts. */
export const listMutants: readonly Mutant[] = [
  ...pagingMutants,
  {
    name: "filters after it has cut the page",
    killedBy: "LIST-4",
    mutate: (store) => ({
      async listTasks({ statuses, ...query }) {
        const page = await store.listTasks(query);
        return { ...page, tasks: page.tasks.filter(({ status }) => statuses?.includes(status) ?? true) };
      },
    }),
  },
  {
    name: "lists the tasks of all owners",
    killedBy: "LIST-4",
    mutate: (store) => ({ listTasks: ({ owner: _, ...query }) => store.listTasks(query) }),
  },
  {
    name: "lists the tasks of all tools",
    killedBy: "LIST-4",
    mutate: (store) => ({ listTasks: ({ tool: _, ...query }) => store.listTasks(query) }),
  },
  {
    name: "takes no statuses for all statuses",
    killedBy: "LIST-4",
    mutate: (store) => ({
      listTasks: ({ statuses = [], ...query }) =>
        store.listTasks({ ...query, ...(statuses.length > 0 && { statuses }) }),
    }),
  },
  {
    name: "lists statuses as the journals have them",
    killedBy: "LIST-5",
    mutate: (store) => listedAs(store, (summary, { status }) => ({ ...summary, status })),
  },
  {
    name: "finds statuses as the journals have them",
    killedBy: "LIST-5",
    mutate: (store) => ({
      async listTasks({ statuses, ...query }) {
        const page = await store.listTasks(query);
        const records = await Promise.all(page.tasks.map(async ({ id }) => (await store.getTask(id))?.record));
        const found = page.tasks.filter(
          (_, index) => statuses?.some((status) => status === records[index]?.status) ?? true,
        );
        return { ...page, tasks: found };
      },
    }),
  },
  {
    name: "counts statuses as the journals have them",
    killedBy: "LIST-5",
    mutate: (store) => ({
      async countTasks(query) {
        const counts = await store.countTasks(query);
        const { running = 0, pending = 0, paused = 0, ...byStatus } = counts.byStatus;
        return { ...counts, byStatus: { ...byStatus, running: running + pending + paused } };
      },
    }),
  },
  {
    name: "lists tasks as they were made",
    killedBy: "LIST-6",
    mutate: (store) => listedAs(store, (summary, { createdAt }) => ({ ...summary, progress: 0, updatedAt: createdAt })),
  },
  {
    name: "lists no message",
    killedBy: "LIST-6",
    mutate: (store) => listedAs(store, ({ message: _, ...summary }) => summary),
  },
  {
    name: "counts the tasks of all owners together",
    killedBy: "LIST-7",
    mutate: (store) => ({ countTasks: ({ owner: _, ...query }) => store.countTasks(query) }),
  },
  {
    name: "counts finished tasks among those that are not",
    killedBy: "LIST-7",
    mutate: (store) => ({ countTasks: ({ unfinished: _, ...query }) => store.countTasks(query) }),
  },
  {
    name: "sweeps unfinished tasks, too",
    killedBy: "LIST-8",
    mutate: (store) => ({
      async listExpired({ now, limit }) {
        const { tasks } = await store.listTasks({ limit });
        const isOver = (task: TaskSummary) => Date.parse(task.createdAt) + task.ttlMs <= now.wallMs;
        return tasks.filter(isOver).map(({ id }) => id);
      },
    }),
  },
  {
    name: "sweeps tasks before their time",
    killedBy: "LIST-8",
    mutate: (store) => ({
      listExpired: ({ now, limit }) => store.listExpired({ now: { ...now, wallMs: now.wallMs + 2 }, limit }),
    }),
  },
  {
    name: "sweeps those tasks first that finished last",
    killedBy: "LIST-8",
    mutate: (store) => ({
      listExpired: async ({ now, limit }) =>
        (await store.listExpired({ now, limit: everything })).toReversed().slice(0, limit),
    }),
  },
];
