import type { Json, Store } from "@resumable-mcp/core";
import type { TaskEvent } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";

/** Gives the items of those events of a journal that it takes for the present ones. */
export function itemsOf(store: Store, present: (events: readonly TaskEvent[]) => readonly TaskEvent[]): Partial<Store> {
  return {
    async readItems(id, { after, limit }) {
      const { events } = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
      const all = present(events).flatMap((event) => (event.type === "checkpoint" ? (event.items ?? []) : []));
      const items: readonly Json[] = all.slice(after, after + limit);
      return { items, next: after + items.length, total: all.length };
    },
  };
}

/** Gives only what the present holder has appended. */
function itemsOfTheLease(store: Store): Partial<Store> {
  const before = new Map<string, number>();
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken !== undefined) before.set(request.taskId, taken.snapshot.record.lastSeq);
      return taken;
    },
    readItems: (id, range) =>
      itemsOf(store, (events) => events.filter(({ seq }) => seq > (before.get(id) ?? 0))).readItems?.(id, range) ??
      store.readItems(id, range),
  };
}

/** Stores that are wrong about items. */
export const itemMutants: readonly Mutant[] = [
  {
    name: "counts the items of a page wrongly",
    killedBy: "ITEM-1",
    mutate: (store) => ({
      readItems: async (id, range) => ({ ...(await store.readItems(id, range)), next: range.after + range.limit }),
    }),
  },
  { name: "gives only the items of the last lease", killedBy: "ITEM-2", mutate: itemsOfTheLease },
  {
    name: "forgets items at every restart",
    killedBy: "ITEM-3",
    mutate: (store) =>
      itemsOf(store, (events) => events.slice(events.findLastIndex(({ type }) => type === "restarted") + 1)),
  },
  {
    name: "keeps the items of an earlier generation",
    killedBy: "ITEM-4",
    mutate: (store) => itemsOf(store, (events) => events),
  },
];
