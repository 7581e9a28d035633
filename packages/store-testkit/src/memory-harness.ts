import { createMemoryStore, type MemoryStore, type Store } from "@resumable-mcp/core";
import type { StoreHarness } from "./scene.js";
import { wrapHarness } from "./wrap-harness.js";

/** A harness for stores that wrap the store in memory; processes are distinguished, deaths are noticed by heartbeats. */
export function memoryHarness(
  wrap: (store: Store) => Store,
  options: { readonly maxEvents?: number } = {},
): StoreHarness {
  const opened = new WeakMap<Store, MemoryStore>();
  const keep = (store: MemoryStore): Store => {
    opened.set(store, store);
    return store;
  };
  const memoryOf = (store: Store): MemoryStore => {
    const found = opened.get(store);
    if (found === undefined) throw new Error("The harness did not open this store.");
    return found;
  };
  const second = async (store: Store) => keep(memoryOf(store).anotherProcess());
  const harness: StoreHarness = {
    open: async () => keep(createMemoryStore(options)),
    limited: async (quotas) => keep(createMemoryStore({ ...options, quotas })),
    second,
    far: second,
    reopen: async (store) => {
      memoryOf(store).kill({ noticed: false });
      return second(store);
    },
  };
  return wrapHarness(harness, wrap);
}
