import { createMemoryStore, type MemoryStore, type Store } from "@resumable-mcp/core";
import type { StoreHarness } from "../src/scene.js";

/** A harness for stores that wrap the store in memory; processes are distinguished, deaths are noticed by heartbeats. */
export function memoryHarness(
  wrap: (store: Store) => Store,
  options: { readonly maxEvents?: number } = {},
): StoreHarness {
  const inner = new WeakMap<Store, MemoryStore>();
  const show = (store: MemoryStore) => {
    const shown = wrap(store);
    inner.set(shown, store);
    return shown;
  };
  const innerOf = (store: Store) => {
    const found = inner.get(store);
    if (found === undefined) throw new Error("The harness did not open this store.");
    return found;
  };
  const second = async (store: Store) => show(innerOf(store).anotherProcess());
  return {
    open: async () => show(createMemoryStore(options)),
    limited: async (quotas) => show(createMemoryStore({ ...options, quotas })),
    second,
    far: second,
    reopen: async (store) => {
      innerOf(store).kill({ noticed: false });
      return second(store);
    },
  };
}
