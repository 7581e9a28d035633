import { expect, test } from "vitest";
import type { NewTask, TaskEventBody } from "../../task/task-event.js";
import { createMemoryStore, type MemoryStore } from "./memory-store.js";

const ttlMs = 1_000;
const task: NewTask = {
  id: "task-0000000000000001",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: { path: "book.txt" },
  detached: true,
  ttlMs: 1_000,
};
const at = (ms: number) => ({ wallMs: ms, monotonicMs: ms });

async function acquire(store: MemoryStore, worker: string, ms: number) {
  return (await store.acquireLease({ taskId: task.id, worker, ttlMs, now: at(ms) }))?.lease;
}

/** A store with one task, whose lease worker a holds. */
async function storeWithTask(options?: { readonly maxEvents?: number }) {
  const store = createMemoryStore(options);
  await store.createTask({ task, reuseResultMs: 0, now: at(0) });
  const lease = await acquire(store, "a", 0);
  if (lease === undefined) throw new Error("A new task's lease is free.");
  const commit = (afterSeq: number, events: readonly TaskEventBody[]) =>
    store.commit({ lease, afterSeq, events, consume: [], now: at(0) });
  return { store, lease, commit };
}

test("gives out frozen values", async () => {
  const { store, commit } = await storeWithTask();
  await commit(1, [{ type: "checkpoint", state: { lines: [1] } }]);
  const snapshot = await store.getTask(task.id);
  const state = snapshot?.record.state as { lines: number[] };
  expect([snapshot, snapshot?.record, snapshot?.record.remembered, state.lines].map(Object.isFrozen)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(() => state.lines.push(2)).toThrow(TypeError);
});

test("never answers any more when its process was killed", async () => {
  const { store } = await storeWithTask();
  store.kill({ noticed: true });
  const answered = store.getTask(task.id).then(() => "answered");
  const other = store.anotherProcess().getTask(task.id);
  expect(await Promise.race([answered, other.then(() => "open")])).toBe("open");
});

test("frees the tasks of a killed process at once when its death is noticed", async () => {
  const { store, lease } = await storeWithTask();
  store.kill({ noticed: true });
  const next = await acquire(store.anotherProcess(), "b", 0);
  expect(next?.epoch).toBeGreaterThan(lease.epoch);
});

test("frees the tasks of a killed process after a lease's ttl of the observer when its death is not noticed", async () => {
  const { store } = await storeWithTask();
  store.kill({ noticed: false });
  const other = store.anotherProcess();
  expect(await acquire(other, "b", 50_000)).toBeUndefined();
  expect(await acquire(other, "b", 50_000 + ttlMs - 1)).toBeUndefined();
  expect(await acquire(other, "b", 50_000 + ttlMs)).toBeDefined();
});

test("notifies of work when the death of a process is noticed", async () => {
  const { store } = await storeWithTask();
  const woken = new Promise<string>((resolve) => {
    store.anotherProcess().watch(undefined, () => resolve("woken"));
  });
  store.kill({ noticed: true });
  expect(await woken).toBe("woken");
});

test("folds the older half of a long journal into a snapshot and keeps the items", async () => {
  const { store, commit } = await storeWithTask({ maxEvents: 4 });
  for (let seq = 1; seq <= 4; seq++) await commit(seq, [{ type: "checkpoint", progress: seq, items: [seq] }]);
  const page = await store.readEvents(task.id, { afterSeq: 0, limit: 10 });
  expect([page.snapshot?.lastSeq, page.snapshot?.progress, page.events.map(({ seq }) => seq)]).toEqual([3, 2, [4, 5]]);
  expect((await store.readEvents(task.id, { afterSeq: 3, limit: 10 })).snapshot).toBeUndefined();
  expect((await store.readItems(task.id, { after: 0, limit: 10 })).items).toEqual([1, 2, 3, 4]);
});

test("refuses a value that is not JSON and writes nothing", async () => {
  const { store, commit } = await storeWithTask();
  const events = [{ type: "checkpoint", progress: 1 } as const, { type: "completed", output: Number.NaN } as const];
  await expect(commit(1, events)).rejects.toMatchObject({ code: "NOT_JSON" });
  expect((await store.getTask(task.id))?.record.lastSeq).toBe(1);
});

test("gives a task that is made again under a deleted one's id a higher epoch", async () => {
  const { store, lease } = await storeWithTask();
  await store.deleteTask(lease);
  await store.createTask({ task, reuseResultMs: 0, now: at(0) });
  await acquire(store, "a", 0);
  await expect(store.commit({ lease, afterSeq: 1, events: [], consume: [], now: at(0) })).rejects.toMatchObject({
    code: "LEASE_LOST",
  });
});
