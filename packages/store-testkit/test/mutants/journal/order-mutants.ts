import type { Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";
import { oneByOne, turn } from "../turn.js";

/** Takes a number of the journal for each lease after the first. */
function numbersLeases(store: Store): Partial<Store> {
  const leases = new Map<string, number[]>();
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken === undefined) return undefined;
      leases.set(request.taskId, [...(leases.get(request.taskId) ?? []), taken.snapshot.record.lastSeq]);
      return taken;
    },
    async readEvents(id, range) {
      const page = await store.readEvents(id, range);
      const before = (seq: number) => (leases.get(id) ?? []).slice(1).filter((place) => place < seq).length;
      return {
        ...page,
        events: page.events.map((event) => ({ ...event, seq: event.seq + before(event.seq) })),
        lastSeq: page.lastSeq + before(page.lastSeq),
      };
    },
  };
}

type Events = Parameters<Store["readEvents"]>;

/** Reads events, and a moment later where the journal ends. */
async function readInParts(store: Store, id: Events[0], range: Events[1]): ReturnType<Store["readEvents"]> {
  const page = await store.readEvents(id, range);
  await turn();
  return { ...page, lastSeq: (await store.readEvents(id, { afterSeq: 0, limit: 1 })).lastSeq };
}

/** Stores that are wrong about the order of events. */
export const orderMutants: readonly Mutant[] = [
  {
    name: "repeats the event of the cursor",
    killedBy: "ORDER-1",
    mutate: (store) => ({
      readEvents: (id, { afterSeq, limit }) => store.readEvents(id, { afterSeq: Math.max(0, afterSeq - 1), limit }),
    }),
  },
  {
    name: "gives the whole journal whatever the limit",
    killedBy: "ORDER-1",
    mutate: (store) => ({ readEvents: (id, range) => store.readEvents(id, { ...range, limit: 1_000 }) }),
  },
  {
    name: "begins again for a cursor at the end",
    killedBy: "ORDER-2",
    mutate: (store) => ({
      async readEvents(id, range) {
        const page = await store.readEvents(id, range);
        return page.events.length > 0 ? page : store.readEvents(id, { ...range, afterSeq: 0 });
      },
    }),
  },
  { name: "takes a place of the journal for each new lease", killedBy: "ORDER-3", mutate: numbersLeases },
  {
    name: "reads a page of events first, and then where the journal ends",
    killedBy: "ORDER-4",
    mutate: (store) => ({ readEvents: (id, range) => readInParts(store, id, range) }),
  },
  {
    name: "reads a page in parts, and lets only its own process wait",
    killedBy: "ORDER-6",
    mutate(store) {
      const inTurn = oneByOne();
      return {
        commit: (request) => inTurn(() => store.commit(request)),
        readEvents: (id, range) => inTurn(() => readInParts(store, id, range)),
      };
    },
  },
  {
    name: "compacts without leaving a snapshot",
    killedBy: "ORDER-5",
    maxEvents: 100,
    mutate: (store) => ({
      async readEvents(id, range) {
        const { snapshot: _, ...page } = await store.readEvents(id, range);
        return page;
      },
    }),
  },
  {
    name: "leaves the task as it is now in place of the events that it compacted",
    killedBy: "ORDER-5",
    maxEvents: 100,
    mutate: (store) => ({
      async readEvents(id, range) {
        const { snapshot, ...page } = await store.readEvents(id, range);
        const { record } = (await store.getTask(id)) ?? {};
        return { ...page, ...(snapshot && record && { snapshot: { ...record, lastSeq: snapshot.lastSeq } }) };
      },
    }),
  },
];
