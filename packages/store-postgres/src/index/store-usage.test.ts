import { expect, test } from "vitest";
import type { Database } from "../database/database.js";
import { postgresStoreDefaults } from "../database/limits.js";
import { StoreUsage } from "./store-usage.js";

const at = (monotonicMs: number) => ({ wallMs: 0, monotonicMs });

/** A store of so many tasks and bytes, which counts how often it is counted. */
function scene(limits: { maxStoreTasks?: number; maxStoreBytes?: number }) {
  const store = { tasks: 0, bytes: 0, counts: 0, error: undefined as Error | undefined };
  const database = {
    limits: { ...postgresStoreDefaults, remeasureMs: 1_000, ...limits },
    async query() {
      store.counts += 1;
      if (store.error !== undefined) throw store.error;
      return [{ tasks: store.tasks, bytes: store.bytes }];
    },
  } as unknown as Database;
  return { store, usage: new StoreUsage(database) };
}

test("far from a quota all tasks are counted once in remeasureMs, and near to it with each new one (G11)", async () => {
  const { store, usage } = scene({ maxStoreTasks: 20_000 });
  store.tasks = 17_998;
  const far = [];
  for (const ms of [0, 500]) {
    far.push(await usage.isFar(at(ms)));
    usage.addTask(100);
  }
  far.push(await usage.isFar(at(999)));
  expect([far, store.counts]).toEqual([[true, true, false], 1]);
  // Others deleted some: it is known when the count that this call begins has ended.
  store.tasks = 10;
  expect([await usage.isFar(at(1_000)), store.counts]).toEqual([false, 2]);
  expect([await usage.isFar(at(1_001)), store.counts]).toEqual([true, 2]);
});

test("a store with a small quota, or without any, is not counted ahead (G11)", async () => {
  const small = scene({ maxStoreTasks: 1_000 });
  const none = scene({ maxStoreTasks: Number.POSITIVE_INFINITY });
  expect([await small.usage.isFar(at(0)), await none.usage.isFar(at(0))]).toEqual([false, true]);
  expect([small.store.counts, none.store.counts]).toEqual([0, 0]);
});

test("bytes count like tasks, a gibibyte before the quota", async () => {
  const { store, usage } = scene({ maxStoreBytes: 3 * 2 ** 30 });
  store.bytes = 2 ** 31 - 1;
  expect(await usage.isFar(at(0))).toBe(true);
  usage.addTask(1);
  expect(await usage.isFar(at(1))).toBe(false);
});

test("a count that fails stops no call that has an older one, and is repeated", async () => {
  const { store, usage } = scene({});
  store.error = new Error("The server is away.");
  await expect(usage.isFar(at(0))).rejects.toThrow("away");
  store.error = undefined;
  expect(await usage.isFar(at(0))).toBe(true);
  store.error = new Error("The server is away.");
  expect(await usage.isFar(at(1_000))).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  store.error = undefined;
  expect([await usage.isFar(at(1_001)), store.counts]).toEqual([true, 4]);
});
