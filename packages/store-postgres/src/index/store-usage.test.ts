import { expect, test } from "vitest";
import type { Database } from "../database/database.js";
import { postgresStoreDefaults } from "../database/limits.js";
import { StoreUsage } from "./store-usage.js";

const at = (monotonicMs: number) => ({ wallMs: 0, monotonicMs });
const gibibyte = 2 ** 30;
const infinite = Number.POSITIVE_INFINITY;

/** A store of so many tasks and bytes, which counts how often it is counted. */
function scene(limits: { maxStoreTasks?: number; maxStoreBytes?: number }) {
  const store = { tasks: 0, bytes: 0, counts: 0, error: undefined as Error | undefined };
  let answer: (() => void) | undefined;
  const database = {
    limits: { ...postgresStoreDefaults, remeasureMs: 60_000, ...limits },
    async query() {
      store.counts += 1;
      if (store.error !== undefined) throw store.error;
      const seen = { tasks: store.tasks, bytes: store.bytes };
      if (answer !== undefined) await new Promise<void>((resolve) => (answer = resolve));
      return [seen];
    },
  } as unknown as Database;
  const usage = new StoreUsage(database);
  return {
    ...{ store, usage },
    isNear: async (ms: number) => (await usage.near(at(ms))).tasks,
    /** Lets answers wait until they are given. */
    hold: () => {
      answer = () => {};
    },
    give: async () => {
      answer?.();
      answer = undefined;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("far from a quota all tasks are counted once in remeasureMs, and near to it with each new one (G11)", async () => {
  const { store, usage, isNear } = scene({ maxStoreTasks: 200_000 });
  store.tasks = 10_000;
  expect([await isNear(0), await isNear(59_999), store.counts]).toEqual([false, false, 1]);
  store.tasks = 199_000;
  // It is known when the count that this call begins has ended.
  expect([await isNear(60_000), store.counts]).toEqual([false, 2]);
  expect([await isNear(60_001), store.counts]).toEqual([true, 2]);
  // Others deleted some.
  store.tasks = 10;
  expect([await isNear(119_999), await isNear(120_000), await isNear(120_001)]).toEqual([true, true, false]);
  for (let made = 0; made < 198_990; made += 1) usage.addTask(100);
  expect([await isNear(120_002), store.counts]).toEqual([true, 3]);
});

test("the less room there is, the sooner all are counted again: others have to make 2,000 a second to be overlooked (G11)", async () => {
  const { store, isNear } = scene({ maxStoreTasks: 200_000 });
  store.tasks = 196_000;
  expect([await isNear(0), await isNear(1_999), store.counts]).toEqual([false, false, 1]);
  store.tasks = 200_000;
  // Calls that come then wait for the count: others may have filled the store, however few they make in a second.
  const near = await Promise.all(Array.from({ length: 20 }, () => isNear(2_000)));
  expect([near.includes(false), store.counts]).toEqual([false, 2]);
});

test("a store with a small quota, or without any, is not counted ahead (G11)", async () => {
  const small = scene({ maxStoreTasks: 1_000 });
  const none = scene({ maxStoreTasks: infinite });
  const smallBytes = scene({ maxStoreTasks: infinite, maxStoreBytes: 1_000 });
  expect([await small.isNear(0), await none.isNear(0)]).toEqual([true, false]);
  expect(await smallBytes.usage.near(at(0))).toEqual({ tasks: false, bytes: true });
  expect([small.store.counts, none.store.counts, smallBytes.store.counts]).toEqual([0, 0, 0]);
});

test("bytes are counted apart from tasks, and exactly from a gibibyte before the quota on", async () => {
  const { store, usage } = scene({ maxStoreBytes: 3 * gibibyte });
  store.bytes = 2 * gibibyte - 1;
  expect(await usage.near(at(0))).toEqual({ tasks: false, bytes: false });
  usage.addTask(1);
  expect(await usage.near(at(1))).toEqual({ tasks: false, bytes: true });
});

test("what is made while all are counted is not forgotten (G11)", async () => {
  const { store, usage, isNear, hold, give } = scene({ maxStoreTasks: 200_000 });
  await isNear(0);
  hold();
  store.tasks = 198_990;
  await isNear(60_000);
  for (let made = 0; made < 10; made += 1) usage.addTask(1);
  await give();
  expect(await isNear(60_001)).toBe(true);
});

test("a count that fails stops no call, and is repeated; until there is one each task is counted exactly (G11)", async () => {
  const { store, isNear } = scene({});
  store.error = new Error("The server is away.");
  expect([await isNear(0), store.counts]).toEqual([true, 1]);
  store.error = undefined;
  expect([await isNear(1), store.counts]).toEqual([false, 2]);
  store.error = new Error("The server is away.");
  expect(await isNear(60_001)).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await isNear(120_000)).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  // Nothing was learnt of the others for too long.
  expect([await isNear(120_001), store.counts]).toEqual([true, 5]);
});

test("calls that come at once after a long time wait for one count (G11)", async () => {
  const { store, isNear } = scene({});
  await isNear(0);
  const near = await Promise.all(Array.from({ length: 20 }, () => isNear(200_000)));
  expect([near.includes(true), store.counts]).toEqual([false, 2]);
});
