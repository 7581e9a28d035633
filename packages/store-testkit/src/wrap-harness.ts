import type { Store } from "@resumable-mcp/core";
import type { StoreHarness } from "./scene.js";

/**
 * A harness for stores that wrap others: what happens to a process happens to the store inside.
 *
 * @param harness how the kit gets hold of the stores inside.
 * @param wrap is called once for each store inside.
 */
export function wrapHarness(harness: StoreHarness, wrap: (store: Store) => Store): StoreHarness {
  const inside = new WeakMap<Store, Store>();
  const show = (store: Store): Store => {
    const shown = wrap(store);
    inside.set(shown, store);
    return shown;
  };
  const insideOf = (store: Store): Store => {
    const found = inside.get(store);
    if (found === undefined) throw new Error("The harness did not open this store.");
    return found;
  };
  const { reopen, second, far, limited, dispose } = harness;
  return {
    open: async () => show(await harness.open()),
    ...(reopen && { reopen: async (store) => show(await reopen.call(harness, insideOf(store))) }),
    ...(second && { second: async (store) => show(await second.call(harness, insideOf(store))) }),
    ...(far && { far: async (store) => show(await far.call(harness, insideOf(store))) }),
    ...(limited && { limited: async (quotas) => show(await limited.call(harness, quotas)) }),
    ...(dispose && { dispose: () => dispose.call(harness) }),
  };
}
