import type { Store } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";

/** Stores that are wrong about what can be read. */
export const readingMutants: readonly Mutant[] = [
  {
    name: "repeats the event of the cursor",
    killedBy: "ORDER-1",
    mutate: (store) => ({
      readEvents: (id, { afterSeq, limit }) => store.readEvents(id, { afterSeq: Math.max(0, afterSeq - 1), limit }),
    }),
  },
  {
    name: "compacts without leaving a snapshot",
    killedBy: "ORDER-5",
    mutate: (store) => ({
      async readEvents(id, range) {
        const page = await store.readEvents(id, range);
        return page.lastSeq < 200 ? page : { ...page, events: page.events.filter(({ seq }) => seq > 100) };
      },
    }),
  },
  {
    name: "shows a commit only at the next look",
    killedBy: "VIS-1",
    mutate: (store) => {
      const seen = new Map<string, Awaited<ReturnType<Store["getTask"]>>>();
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
  {
    name: "gives out its own memory",
    killedBy: "VALUE-2",
    mutate: (store) => {
      const shared = new Map<string, Awaited<ReturnType<Store["readItems"]>>>();
      return {
        async readItems(id, range) {
          const found = await store.readItems(id, range);
          const place = JSON.stringify([id, range, found.total]);
          const page = shared.get(place) ?? structuredClone(found);
          shared.set(place, page);
          return page;
        },
      };
    },
  },
  {
    name: "loses a key that is called __proto__",
    killedBy: "VALUE-5",
    mutate: (store) => ({
      async getTask(id) {
        const snapshot = await store.getTask(id);
        const { state } = snapshot?.record ?? {};
        if (snapshot === undefined || typeof state !== "object" || state === null || !("" in state)) return snapshot;
        return { ...snapshot, record: { ...snapshot.record, state: Object.assign({}, state) } };
      },
    }),
  },
  {
    name: "keeps the items of an earlier generation",
    killedBy: "ITEM-4",
    mutate: (store) => ({
      async readItems(id, { after, limit }) {
        const { events } = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
        const all = events.flatMap((event) => (event.type === "checkpoint" ? (event.items ?? []) : []));
        const items = all.slice(after, after + limit);
        return { items, next: after + items.length, total: all.length };
      },
    }),
  },
  {
    name: "pages by offset",
    killedBy: "LIST-3",
    mutate: (store) => ({
      async listTasks({ cursor, limit, ...query }) {
        const from = Number(cursor ?? 0);
        const { tasks } = await store.listTasks({ ...query, limit: 1_000 });
        const more = tasks.length > from + limit ? { nextCursor: String(from + limit) } : {};
        return { tasks: tasks.slice(from, from + limit), ...more };
      },
    }),
  },
  {
    name: "pages by time alone",
    killedBy: "LIST-2",
    mutate: (store) => ({
      async listTasks({ cursor, limit, ...query }) {
        const { tasks } = await store.listTasks({ ...query, limit: 1_000 });
        const rest = tasks.filter(({ createdAt }) => cursor === undefined || createdAt < cursor);
        const last = rest[limit - 1];
        const more = rest.length > limit && last !== undefined ? { nextCursor: last.createdAt } : {};
        return { tasks: rest.slice(0, limit), ...more };
      },
    }),
  },
  {
    name: "begins anew at a cursor that it does not understand",
    killedBy: "LIST-9",
    mutate: (store) => ({
      listTasks: ({ cursor, ...query }) =>
        store.listTasks({ ...query, ...(cursor?.startsWith("2") ? { cursor } : {}) }),
    }),
  },
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
    name: "sweeps unfinished tasks, too",
    killedBy: "LIST-8",
    mutate: (store) => ({
      async listExpired({ now, limit }) {
        const { tasks } = await store.listTasks({ limit });
        const isOver = (task: (typeof tasks)[number]) => Date.parse(task.createdAt) + task.ttlMs <= now.wallMs;
        return tasks.filter(isOver).map(({ id }) => id);
      },
    }),
  },
  {
    name: "never says when the next task is due",
    killedBy: "RUN-3",
    mutate: (store) => ({
      listRunnable: async (request) => ({ tasks: (await store.listRunnable(request)).tasks }),
    }),
  },
];
