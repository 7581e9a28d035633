import type { Store } from "@resumable-mcp/core";
import { itemsOf } from "./journal/item-mutants.js";
import type { Mutant } from "./mutant.js";

/** Drops what was requested when a task restarts. */
function forgetsRequests(store: Store): Partial<Store> {
  return {
    async commit(request) {
      const restarts = request.events.some(({ type }) => type === "restarted");
      const { signals = [] } = (restarts ? await store.getTask(request.lease.taskId) : undefined) ?? {};
      return store.commit({ ...request, consume: [...request.consume, ...signals.map(({ id }) => id)] });
    },
  };
}

/** Knows only of restarts that its own process wrote, and takes all items for those of the present generation else. */
function forgetsRestarts(store: Store): Partial<Store> {
  const own = new Set<string>();
  const { readItems: readAll } = itemsOf(store, (events) => events);
  return {
    async commit(request) {
      own.add(request.lease.taskId);
      return store.commit(request);
    },
    readItems: (id, range) => (own.has(id) ? store : { readItems: readAll ?? store.readItems }).readItems(id, range),
  };
}

/** Stores that are wrong where no other clause looks. */
export const randomMutants: readonly Mutant[] = [
  { name: "drops what was requested when a task restarts", killedBy: "RANDOM-1", mutate: forgetsRequests },
  { name: "forgets with its process from where on items count", killedBy: "RANDOM-2", mutate: forgetsRestarts },
];
