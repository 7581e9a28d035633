import { expect, test } from "vitest";
import { makeLayout } from "../disk/layout.js";
import { fsStoreDefaults } from "../disk/limits.js";
import { MemoryDisk } from "../testing/memory-disk.js";
import { StoreUsage } from "./store-usage.js";

const at = (monotonicMs: number) => ({ wallMs: 0, monotonicMs });
const full = expect.objectContaining({ code: "QUOTA_EXCEEDED" });

/** The usage of a store that is empty on its disk, whatever is being made. */
function usageOf(maxStoreTasks: number): StoreUsage {
  const limits = { ...fsStoreDefaults, maxStoreTasks, remeasureMs: 1_000 };
  return new StoreUsage({ disk: new MemoryDisk(), layout: makeLayout("/store"), limits });
}

test("tasks that are being made while a store is measured count, and those that are not made give their places back (G11)", async () => {
  const usage = usageOf(2);
  const endFirst = await usage.admit(at(0));
  await usage.admit(at(1_000));
  await expect(usage.admit(at(1_001))).rejects.toEqual(full);
  endFirst();
  await usage.admit(at(1_002));
  await expect(usage.admit(at(1_003))).rejects.toEqual(full);
});

test("a measure that counted such a task twice is repeated before a task is refused for it", async () => {
  const usage = usageOf(2);
  const endFirst = await usage.admit(at(0));
  const endSecond = await usage.admit(at(1_000));
  endFirst(10);
  endSecond(10);
  // Both are made, and not on this disk.
  await usage.admit(at(1_001));
});
