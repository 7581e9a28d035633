import { expect, test } from "vitest";
import { openFsAdmin } from "../src/admin/fs-admin.js";
import { createHost } from "../src/disk/platform.js";
import { createContext } from "../src/disk/store-context.js";
import { openStore as openParts } from "../src/open-store.js";
import { copyTree, emptyTree, type FolderNode, MemoryDisk } from "../src/testing/memory-disk.js";
import { at, create, folderOf, now, openStore, ttlMs } from "./scene.js";

const directory = "/store";
/** As a process that comes after the death of another one sees it. */
const heir = { ...createHost(), processState: () => "dead" as const };
const day = 86_400_000;

/** What is on the disk when a process dies that has put a new task into its place, and not yet claimed its call. */
async function afterDeath(id: string, key: string, deadlyPoint = "store.create.published"): Promise<FolderNode> {
  const tree = emptyTree();
  let left = copyTree(tree);
  const store = openStore(directory, {
    disk: new MemoryDisk(tree),
    observer: (point) => {
      if (point === deadlyPoint) left = copyTree(tree);
    },
  });
  await create(store, id, { key });
  return left;
}

/** Damages every claim. */
function damageClaims(disk: MemoryDisk): void {
  const keys = `${directory}/keys`;
  for (const folder of disk.list(keys)) {
    for (const name of disk.list(`${keys}/${folder}`)) {
      const file = disk.open(`${keys}/${folder}/${name}`, "r+");
      disk.truncate(file, 1);
      disk.close(file);
    }
  }
}

/** Claims a call for a task, as another process does. */
function claim(disk: MemoryDisk, id: string, key: string): void {
  const { keys } = openParts(createContext({ directory, durable: true, disk }), createHost());
  const owner = "client:test";
  keys.claim(keys.look(owner, key), { owner, key, id, generation: 1 });
}

test("a task whose maker died before it had its call is brought to life by no request that names it (G7)", async () => {
  const disk = new MemoryDisk(await afterDeath("half-made-task-1", "call"));
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
  const disk = new MemoryDisk(await afterDeath("half-made-task-1", "call"));
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
  const key = "call";
  const store = openStore(directory, {
    disk,
    observer: (point, id = "") => {
      if (point === "store.create.published") claim(disk, id, key);
    },
  });
  const id = await create(store, "task-of-the-call", { key });
  expect((await store.getTask(id))?.record.id).toBe(id);
});

test("a task that no caller knows of is removed when a finished one would be, and counts as harmless until then (G11)", async () => {
  const disk = new MemoryDisk(await afterDeath("half-made-task-1", "call"));
  const store = openStore(directory, { disk, host: heir });
  const other = await create(store, "task-of-the-call", { key: "call" });
  const folder = folderOf(directory, "half-made-task-1");
  await store.listExpired({ now: at(999), limit: 10 });
  const { problems } = await openFsAdmin(directory, { disk, host: heir }).check();
  expect([disk.exists(folder), problems.map(({ kind, severity }) => [kind, severity])]).toEqual([
    true,
    [["unlisted", "harmless"]],
  ]);
  await store.listExpired({ now: at(1_000), limit: 10 });
  expect([disk.exists(folder), (await store.getTask(other))?.record.id]).toEqual([false, other]);
  await store.close();
  expect(disk.list(`${directory}/trash`)).toEqual([]);
});

test("a half made task gets no call whose damaged claim was of an unfinished one (G7)", async () => {
  const disk = new MemoryDisk(await afterDeath("half-made-task-1", "call"));
  const id = await create(openStore(directory, { disk }), "task-of-the-call", { key: "call" });
  damageClaims(disk);
  expect(await openStore(directory, { disk }).getTask("half-made-task-1")).toBeUndefined();
  const store = openStore(directory, { disk, host: heir });
  await store.listExpired({ now, limit: 10 });
  const { tasks } = await store.listTasks({ limit: 10 });
  expect([tasks.map((task) => task.id), await create(store, "another-task-now", { key: "call" })]).toEqual([[id], id]);
});

test("a repair gives a call whose claim is damaged to its unfinished task (G7)", async () => {
  const disk = new MemoryDisk();
  const id = await create(openStore(directory, { disk }), "task-of-the-call", { key: "call" });
  damageClaims(disk);
  await openFsAdmin(directory, { disk, host: heir }).repair(true);
  expect(await create(openStore(directory, { disk }), "another-task-now", { key: "call" })).toBe(id);
});

test.each(["store.create.linked", "store.create.claimed"])(
  "a task whose maker died at %s has its call though the claim is damaged (G1)",
  async (deadlyPoint) => {
    const disk = new MemoryDisk(await afterDeath("half-made-task-1", "call", deadlyPoint));
    damageClaims(disk);
    const store = openStore(directory, { disk, host: heir });
    await store.listExpired({ now, limit: 10 });
    expect(await create(store, "another-task-now", { key: "call" })).toBe("half-made-task-1");
  },
);

test.each(["store.create.linked", "store.create.claimed"])(
  "a task whose maker died at %s is listed again, and not removed (G1)",
  async (deadlyPoint) => {
    const disk = new MemoryDisk(await afterDeath("half-made-task-1", "call", deadlyPoint));
    const store = openStore(directory, { disk, host: heir });
    await store.listExpired({ now: at(day), limit: 10 });
    const { tasks } = await store.listTasks({ limit: 10 });
    expect([tasks.map(({ id }) => id), disk.list(`${directory}/trash`)]).toEqual([["half-made-task-1"], []]);
  },
);

test("a task for which a call is claimed while it is removed is there all the same, also when its remover dies (G1)", async () => {
  const id = "half-made-task-1";
  const tree = await afterDeath(id, "call");
  const disk = new MemoryDisk(tree);
  const folder = folderOf(directory, id);
  const rename = disk.rename.bind(disk);
  let left = disk;
  disk.rename = (from, to) => {
    if (from === folder) claim(disk, id, "call");
    rename(from, to);
    if (from === folder) left = new MemoryDisk(copyTree(tree));
  };
  const store = openStore(directory, { disk, host: heir });
  await store.listExpired({ now: at(day), limit: 10 });
  expect((await store.getTask(id))?.record.id).toBe(id);
  expect(left.exists(folder)).toBe(false);
  for (const after of [disk, left]) {
    const next = openStore(directory, { disk: after, host: heir });
    await next.listExpired({ now: at(2 * day), limit: 10 });
    const { tasks } = await next.listTasks({ limit: 10 });
    expect([tasks.map((task) => task.id), after.list(`${directory}/trash`)]).toEqual([[id], []]);
  }
});

test("a task that is taken away before its call is claimed is made again (G1)", async () => {
  const disk = new MemoryDisk();
  const id = "half-made-task-1";
  let times = 0;
  const store = openStore(directory, {
    disk,
    observer: (point) => {
      if (point === "store.create.linked" && ++times === 1) disk.removeTree(folderOf(directory, id));
    },
  });
  expect(await create(store, id, { key: "call" })).toBe(id);
  expect((await store.getTask(id))?.record.id).toBe(id);
});
