import { dirname, join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { expect, test, vi } from "vitest";
import { createFsStore } from "../src/create-fs-store.js";
import { makeLayout, taskFolder } from "../src/disk/layout.js";
import { type CrashChoices, crashImage } from "../src/testing/crash-image.js";
import { emptyTree, MemoryDisk } from "../src/testing/memory-disk.js";
import { type Recording, recordDisk } from "../src/testing/recording-disk.js";
import { checkpoint, commit, create, lease, now, openStore } from "./scene.js";

const directory = "/var/lib/a/new/store";

/** Loses power after something was acknowledged. Whatever no sync made durable is lost, unless `choices` keep it. */
async function afterPowerLoss(work: (store: Store) => Promise<void>, choices: Partial<CrashChoices> = {}) {
  const { disk, events } = recordDisk(new MemoryDisk());
  await work(openStore(directory, { disk }));
  const all: CrashChoices = { keepsName: () => false, dataLoss: () => "dropped", ...choices };
  return createFsStore({ directory, disk: new MemoryDisk(crashImage(emptyTree(), events, all)) });
}

const completed = { type: "completed", output: null } as const;

test("a store that was made a moment ago keeps its first task and commit (G1.1)", async () => {
  let id = "";
  const store = await afterPowerLoss(async (store) => {
    id = await create(store, "first-task");
    await commit(store, await lease(store, id), 1, [checkpoint(1, ["a"])]);
  });
  expect((await store.getTask(id))?.record).toMatchObject({ progress: 1, itemCount: 1, lastSeq: 2 });
  expect((await store.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([id]);
});

test("claims that were lost and made again outlast a loss of power: the same call joins its task (G7)", async () => {
  const { disk, events } = recordDisk(new MemoryDisk());
  const store = openStore(directory, { disk });
  const id = await create(store, "claimed", { key: "the call" });
  const { keys } = makeLayout(directory);
  for (const bucket of disk.list(keys)) {
    for (const name of disk.list(join(keys, bucket))) disk.unlink(join(keys, bucket, name));
    disk.removeFolder(join(keys, bucket));
  }
  disk.removeFolder(keys);
  expect((await store.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([id]);
  const choices: CrashChoices = { keepsName: () => false, dataLoss: () => "dropped" };
  const again = createFsStore({ directory, disk: new MemoryDisk(crashImage(emptyTree(), events, choices)) });
  expect(await create(again, "another", { key: "the call" })).toBe(id);
});

const session = (version: number) => ({
  kind: "session",
  id: "session",
  owner: "client:test",
  value: version,
  expectedVersion: version,
  now,
});

test("a store that was made a moment ago keeps its first session (G1)", async () => {
  const store = await afterPowerLoss(async (store) => {
    await store.putDocument(session(0));
  });
  expect((await store.getDocument("session", "session"))?.value).toBe(0);
});

test("a finished task that begins again is marked as open: it is found and continues (G1)", async () => {
  let id = "";
  const store = await afterPowerLoss(async (store) => {
    id = await create(store, "again");
    const first = await lease(store, id);
    await commit(store, first, 1, [completed]);
    await store.releaseLease(first);
    // Making a task syncs the folder of markers, in which there is none of the finished one.
    await create(store, "other");
    const second = await lease(store, id);
    await commit(store, second, 2, [{ type: "restarted", generation: 2, fromState: false }]);
  });
  const listed = await store.listTasks({ limit: 10 });
  expect(listed.tasks.find((task) => task.id === id)?.status).toBe("pending");
});

test("a session that is put again keeps one of its versions, whichever names were lost (G1)", async () => {
  const { disk, events } = recordDisk(new MemoryDisk());
  const store = openStore(directory, { disk });
  await store.putDocument(session(0));
  const acknowledged = events.length;
  await store.putDocument(session(1));
  const lost: string[] = [];
  for (let at = acknowledged; at <= events.length; at += 1) {
    for (let only = 1; only <= 6; only += 1) {
      let names = 0;
      const choices: CrashChoices = { keepsName: () => ++names === only, dataLoss: () => "kept" };
      const disk = new MemoryDisk(crashImage(emptyTree(), events.slice(0, at), choices));
      const found = await createFsStore({ directory, disk }).getDocument("session", "session");
      if (found === undefined) lost.push(`after event ${at - acknowledged}, with the change ${only} of names`);
    }
  }
  expect(lost).toEqual([]);
});

test("a task that survives a loss of power while it is made has its call, whichever names were lost (G7)", async () => {
  const { disk, events } = recordDisk(new MemoryDisk());
  const store = openStore(directory, { disk });
  await create(store, "before");
  const begun = events.length;
  await create(store, "first", { key: "call" });
  const twice: string[] = [];
  for (let at = begun; at <= events.length; at += 1) {
    for (let lost = 0; lost <= 8; lost += 1) {
      let names = 0;
      const choices: CrashChoices = { keepsName: () => ++names !== lost, dataLoss: () => "kept" };
      const image = new MemoryDisk(crashImage(emptyTree(), events.slice(0, at), choices));
      const left = createFsStore({ directory, disk: image });
      await create(left, "second", { key: "call" });
      const { tasks } = await left.listTasks({ limit: 10 });
      if (tasks.length > 2) twice.push(`after event ${at - begun}, without the change ${lost} of names`);
    }
  }
  expect(twice).toEqual([]);
});

/** After which losses of power a task is damaged: at each moment of a recording, whichever change of names was lost. */
async function damageOf(id: string, { events }: Recording, from: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = from; at <= events.length; at += 1) {
    for (let lost = 1, names = lost; names >= lost; lost += 1) {
      names = 0;
      const choices: CrashChoices = { keepsName: () => ++names !== lost, dataLoss: () => "kept" };
      const disk = new MemoryDisk(crashImage(emptyTree(), events.slice(0, at), choices));
      const store = createFsStore({ directory, disk, limits: { takeOverPollMs: 1, maxTakeOverPolls: 1 } });
      const problem = await store.getTask(id).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (problem !== undefined)
        found.push(`after event ${at - from}, without the change ${lost} of names: ${problem}`);
      await store.close();
    }
  }
  return found;
}

test("a creation that is taken back leaves no damaged task, whichever names were lost (G12)", async () => {
  const inner = new MemoryDisk();
  const recording = recordDisk(inner);
  const store = openStore(directory, { disk: recording.disk });
  await create(store, "first-task-of-all");
  const from = recording.events.length;
  const link = vi.spyOn(inner, "link").mockImplementation(() => {
    throw Object.assign(new Error("EIO: link"), { code: "EIO", syscall: "link" });
  });
  await expect(create(store, "taken-back-again", { key: "call" })).rejects.toMatchObject({
    code: "STORE_WRITE_FAILED",
  });
  link.mockRestore();
  expect(await damageOf("taken-back-again", recording, from)).toEqual([]);
});

test("a deletion that a later process finishes leaves no damaged task, whichever names were lost (G12)", async () => {
  const recording = recordDisk(new MemoryDisk());
  const id = await create(openStore(directory, { disk: recording.disk }), "deleted-in-part");
  let isDead = false;
  const dying = openStore(directory, {
    disk: recording.disk,
    observer: (point) => {
      isDead ||= point === "store.delete.trashed";
      if (isDead) throw new Error("The process died.");
    },
  });
  const held = await lease(dying, id);
  await commit(dying, held, 1, [completed]);
  await expect(dying.deleteTask(held)).rejects.toThrow("The process died.");
  const from = recording.events.length;
  await openStore(directory, { disk: recording.disk }).listTasks({ limit: 10 });
  expect(await damageOf(id, recording, from)).toEqual([]);
});

test("a damaged task keeps its marker until the move to quarantine/ is durable (G12)", async () => {
  const recording = recordDisk(new MemoryDisk());
  const id = await create(openStore(directory, { disk: recording.disk }), "damaged-task");
  const folder = taskFolder(makeLayout(directory), id);
  const journal = recording.disk.list(folder).find((name) => name.startsWith("journal.")) ?? "";
  const file = recording.disk.open(`${folder}/${journal}`, "r+");
  recording.disk.write(file, Buffer.from("damage"), 0);
  await recording.disk.syncData(file);
  recording.disk.close(file);
  const from = recording.events.length;
  await expect(openStore(directory, { disk: recording.disk }).getTask(id)).rejects.toMatchObject({
    code: "TASK_CORRUPT",
  });
  const unmarked: string[] = [];
  for (let at = from; at <= recording.events.length; at += 1) {
    for (let lost = 1, names = lost; names >= lost; lost += 1) {
      names = 0;
      const choices: CrashChoices = { keepsName: () => ++names !== lost, dataLoss: () => "kept" };
      const disk = new MemoryDisk(crashImage(emptyTree(), recording.events.slice(0, at), choices));
      if (disk.exists(folder) && !disk.exists(`${directory}/open/${id}`))
        unmarked.push(`after event ${at - from}, without the change ${lost} of names`);
    }
  }
  expect([recording.disk.exists(folder), unmarked]).toEqual([false, []]);
});

/** A task whose maker stands still before the folders above it are synced, on a disk without real waits. */
async function halfMade() {
  const { disk, events } = recordDisk(new MemoryDisk());
  const layout = makeLayout(directory);
  const id = "half-made-task-1";
  const above = [layout.tasks, dirname(taskFolder(layout, id))];
  const syncFolder = (path: string): Promise<void> =>
    above.includes(path) ? new Promise(() => {}) : disk.syncFolder(path);
  await create(openStore(directory, { disk }), "task-before-it-1");
  void create(createFsStore({ directory, disk: { ...disk, syncFolder } }), id, { key: "call" });
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return { id, marker: join(layout.open, id), disk, events };
}

test("a task whose folder is not durable yet has no marker, by which others would run it (G2)", async () => {
  const { id, marker, disk } = await halfMade();
  expect([disk.exists(taskFolder(makeLayout(directory), id)), disk.exists(marker)]).toEqual([true, false]);
});

test("what another process commits to a task that its maker left half made is kept (G1, G2)", async () => {
  const { id, disk, events } = await halfMade();
  const other = openStore(directory, { disk });
  await commit(other, await lease(other, id), 1, [checkpoint(1, ["a"])]);
  const all: CrashChoices = { keepsName: () => false, dataLoss: () => "dropped" };
  const left = createFsStore({ directory, disk: new MemoryDisk(crashImage(emptyTree(), events, all)) });
  expect((await left.getTask(id))?.record).toMatchObject({ progress: 1, itemCount: 1, lastSeq: 2 });
  expect(await create(left, "another-task-now", { key: "call" })).toBe(id);
});
