import type { Store, TaskRecord } from "@resumable-mcp/core";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { withRecords } from "../process-memory.js";
import { oneByOne, turn } from "../turn.js";

type Commit = Parameters<Store["commit"]>[0];

/** Commits each event by itself. */
async function commitOneByOne(store: Store, request: Commit): ReturnType<Store["commit"]> {
  let result: Awaited<ReturnType<Store["commit"]>> | undefined;
  const parts: readonly (readonly TaskEventBody[])[] = request.events.map((event) => [event]);
  for (const [index, events] of (parts.length === 0 ? [[]] : parts).entries()) {
    result = await store.commit({ ...request, events, afterSeq: request.afterSeq + index });
    await turn();
  }
  if (result === undefined) throw new Error("A commit has at least one part.");
  return result;
}

async function endOf(store: Store, { lease }: Commit): Promise<number> {
  return (await store.getTask(lease.taskId))?.record.lastSeq ?? 0;
}

async function pendingOf(store: Store, { lease }: Commit) {
  return (await store.getTask(lease.taskId))?.signals ?? [];
}

/** Stores that are wrong about what a commit does. */
export const commitMutants: readonly Mutant[] = [
  {
    name: "takes the time of a commit from its own clock",
    killedBy: "COMMIT-1",
    mutate: (store) => ({
      commit: ({ now, ...request }) => store.commit({ ...request, now: { ...now, wallMs: Date.now() } }),
    }),
  },
  {
    name: "returns the record as it was before the commit",
    killedBy: "COMMIT-9",
    mutate: (store) => ({
      async commit(request) {
        const before = await store.getTask(request.lease.taskId);
        const result = await store.commit(request);
        return { ...result, record: before?.record ?? result.record };
      },
    }),
  },
  {
    name: "writes where the journal ends, wherever the writer believes it to be",
    killedBy: "COMMIT-2",
    mutate: (store) => ({
      commit: async (request) => store.commit({ ...request, afterSeq: await endOf(store, request) }),
    }),
  },
  {
    name: "consumes signals before it knows whether it can write",
    killedBy: "COMMIT-2",
    mutate: (store) => ({
      async commit(request) {
        const afterSeq = await endOf(store, request);
        if (request.afterSeq !== afterSeq) await store.commit({ ...request, events: [], afterSeq });
        return store.commit(request);
      },
    }),
  },
  {
    name: "looks where the journal ends before it writes, not while",
    killedBy: "COMMIT-3",
    mutate: (store) => ({
      async commit(request) {
        if (request.afterSeq !== (await endOf(store, request))) return store.commit(request);
        await turn();
        return store.commit({ ...request, afterSeq: await endOf(store, request) });
      },
    }),
  },
  {
    name: "writes the events of a commit one by one",
    killedBy: "COMMIT-4",
    mutate: (store) => ({ commit: (request) => commitOneByOne(store, request) }),
  },
  {
    name: "keeps a commit together only for its own process",
    killedBy: "COMMIT-8",
    mutate(store) {
      const inTurn = oneByOne();
      return {
        commit: (request) => inTurn(() => commitOneByOne(store, request)),
        getTask: (id) => inTurn(() => store.getTask(id)),
        readEvents: (id, range) => inTurn(() => store.readEvents(id, range)),
        readItems: (id, range) => inTurn(() => store.readItems(id, range)),
      };
    },
  },
  {
    name: "shows a runner also the signals that it just consumed",
    killedBy: "COMMIT-5",
    mutate: (store) => ({
      async commit(request) {
        const signals = await pendingOf(store, request);
        return { ...(await store.commit(request)), signals };
      },
    }),
  },
  {
    name: "shows a runner each signal once",
    killedBy: "COMMIT-5",
    mutate(store) {
      const shown = new Set<string>();
      return {
        async commit(request) {
          const { record, signals } = await store.commit(request);
          const unseen = signals.filter(({ id }) => !shown.has(id));
          for (const { id } of unseen) shown.add(id);
          return { record, signals: unseen };
        },
      };
    },
  },
  {
    name: "keeps the signals that were consumed",
    killedBy: "COMMIT-5",
    mutate: (store) => ({
      async commit(request) {
        const { record, signals } = await store.commit({ ...request, consume: [] });
        return { record, signals: signals.filter(({ id }) => !request.consume.includes(id)) };
      },
    }),
  },
  {
    name: "does nothing for a commit without an event",
    killedBy: "COMMIT-6",
    mutate: (store) => ({
      async commit(request) {
        if (request.events.length > 0) return store.commit(request);
        const { record, signals } = await store.commit({ ...request, consume: [] });
        return { record, signals: signals.filter(({ id }) => !request.consume.includes(id)) };
      },
    }),
  },
  {
    name: "keeps a record that knows of no sleep",
    killedBy: "COMMIT-7",
    mutate: (store) =>
      withRecords(store, (record) => {
        const awake = Object.entries(record.remembered).filter(([, { kind }]) => kind !== "sleep");
        return { ...record, remembered: Object.fromEntries(awake) };
      }),
  },
  {
    name: "keeps a record that does not know the desiredState",
    killedBy: "COMMIT-7",
    mutate: (store) => withRecords(store, (record) => ({ ...record, desiredState: "run" })),
  },
  {
    name: "keeps the error of a task that restarted",
    killedBy: "COMMIT-7",
    mutate(store) {
      const errors = new Map<string, TaskRecord["error"]>();
      return withRecords(store, (record) => {
        const error = record.error ?? errors.get(record.id);
        errors.set(record.id, error);
        return { ...record, ...(error && { error }) };
      });
    },
  },
];
