import { expect, test } from "vitest";
import { createHost } from "../src/disk/platform.js";
import { createContext } from "../src/disk/store-context.js";
import { openStore as openParts } from "../src/open-store.js";
import { copyTree, emptyTree, MemoryDisk } from "../src/testing/memory-disk.js";
import { at, create, now, openStore, ttlMs } from "./scene.js";

const directory = "/store";

/** What is on the disk when a process dies that has put a new task into its place, and not yet claimed its call. */
async function afterDeath(id: string, key: string): Promise<MemoryDisk> {
  const tree = emptyTree();
  let left = copyTree(tree);
  const store = openStore(directory, {
    disk: new MemoryDisk(tree),
    observer: (point) => {
      if (point === "store.create.published") left = copyTree(tree);
    },
  });
  await create(store, id, { key });
  return new MemoryDisk(left);
}

test("a task whose maker died before it had its call is brought to life by no request that names it (G7)", async () => {
  const disk = await afterDeath("half-made-task-1", "call");
  const store = openStore(directory, { disk });
  expect(await store.getTask("half-made-task-1")).toBeUndefined();
  await expect(store.signal("half-made-task-1", { kind: "pause" })).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  await expect(store.acquireLease({ taskId: "half-made-task-1", worker: "worker", ttlMs, now })).rejects.toMatchObject({
    code: "TASK_NOT_FOUND",
  });
  const id = await create(store, "task-of-the-call", { key: "call" });
  const { tasks } = await store.listTasks({ limit: 10 });
  expect([id, tasks.map((task) => task.id)]).toEqual(["task-of-the-call", ["task-of-the-call"]]);
});

test("the call under whose id a task was half made finds the task, and has it (G7)", async () => {
  const disk = await afterDeath("half-made-task-1", "call");
  const store = openStore(directory, { disk });
  expect(await create(store, "half-made-task-1", { key: "call" })).toBe("half-made-task-1");
  const taken = await store.acquireLease({ taskId: "half-made-task-1", worker: "worker", ttlMs, now: at(1) });
  expect(taken?.snapshot.record.id).toBe("half-made-task-1");
  expect(await create(store, "another-task-now", { key: "call" })).toBe("half-made-task-1");
});

test("a task that lost its marker with the folder of markers is there all the same (G1)", async () => {
  const disk = new MemoryDisk();
  const store = openStore(directory, { disk });
  const id = await create(store, "task-of-the-call", { key: "call" });
  disk.removeTree(`${directory}/open`);
  expect((await store.getTask(id))?.record.id).toBe(id);
});

test("a task whose call another process claims under the same id stays where it is (G1)", async () => {
  const disk = new MemoryDisk();
  const other = openParts(createContext({ directory, durable: true, disk }), createHost());
  const key = "call";
  const store = openStore(directory, {
    disk,
    observer: (point, id = "") => {
      if (point !== "store.create.published") return;
      const owner = "client:test";
      other.keys.claim(other.keys.look(owner, key), { owner, key, id, generation: 1 });
    },
  });
  const id = await create(store, "task-of-the-call", { key });
  expect((await store.getTask(id))?.record.id).toBe(id);
});
