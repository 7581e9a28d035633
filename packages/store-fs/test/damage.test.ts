import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import {
  checkpoint,
  commit,
  create,
  emptyFolder,
  folderOf,
  journalOf,
  lease,
  newTask,
  now,
  openStore,
} from "./scene.js";

const options = { durability: "process" } as const;

/** A folder with a task of four events, whose last two lines are known, and a healthy neighbour. */
async function damaged() {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const id = await create(store, "victim");
  const neighbour = await create(store, "neighbour");
  const held = await lease(store, id);
  for (const seq of [1, 2, 3]) await commit(store, held, seq, [checkpoint(seq, [`item ${seq}`])]);
  const path = journalOf(directory, id);
  await store.close();
  return { directory, id, neighbour, path, bytes: readFileSync(path) };
}

/** Where the last `count` lines begin. */
function startOfLast(bytes: Buffer, count: number): number {
  let end = bytes.byteLength - 1;
  for (let line = 0; line < count; line += 1) end = bytes.lastIndexOf(10, end - 1);
  return end + 1;
}

describe("a journal that was cut", () => {
  test("counts up to its last whole line, wherever in the last two lines it ends, and can be continued", async () => {
    const { directory, id, path, bytes } = await damaged();
    const lastTwo = startOfLast(bytes, 2);
    const last = startOfLast(bytes, 1);
    for (let length = lastTwo; length <= bytes.byteLength; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const store = openStore(directory, options);
      const whole = length === bytes.byteLength ? 4 : length >= last ? 3 : 2;
      expect((await store.getTask(id))?.record.lastSeq, `cut to ${length} bytes`).toBe(whole);
      await store.close();
    }
    writeFileSync(path, bytes.subarray(0, bytes.byteLength - 5));
    const store = openStore(directory, options);
    const held = await lease(store, id, "worker-b");
    await commit(store, held, 3, [checkpoint(9, ["item 9"])]);
    const { events } = await store.readEvents(id, { afterSeq: 0, limit: 100 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await store.readItems(id, { after: 0, limit: 100 })).items).toEqual(["item 1", "item 2", "item 9"]);
  });

  test("behind what this process has read of it sets its task aside, though what is left is whole (G12)", async () => {
    const { directory, id, neighbour, path, bytes } = await damaged();
    const store = openStore(directory, options);
    expect((await store.getTask(id))?.record.lastSeq).toBe(4);
    writeFileSync(path, bytes.subarray(0, startOfLast(bytes, 1)));
    await expect(store.getTask(id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
    expect((await store.getTask(neighbour))?.record.lastSeq).toBe(1);
  });

  test("for one look only, as the system may say while others write, sets nothing aside (G12)", async () => {
    const { directory, id, path, bytes } = await damaged();
    let isShort = false;
    const stat: Disk["stat"] = (given) => {
      const [there, cut] = [nodeDisk.stat(given), isShort && given === path];
      if (cut) isShort = false;
      return there && (cut ? { ...there, size: startOfLast(bytes, 1) } : there);
    };
    const store = openStore(directory, { ...options, disk: { ...nodeDisk, stat } });
    expect((await store.getTask(id))?.record.lastSeq).toBe(4);
    isShort = true;
    expect((await store.getTask(id))?.record.lastSeq).toBe(4);
    expect(isShort).toBe(false);
  });

  test("that holds no whole first line counts for nothing", async () => {
    const { directory, id, path, bytes } = await damaged();
    writeFileSync(path, bytes.subarray(0, 20));
    const store = openStore(directory, options);
    expect((await store.getTask(id))?.record.lastSeq).toBe(1);
  });
});

test("a journal file that is missing sets its task aside, though a later one continues it (G12)", async () => {
  const directory = emptyFolder();
  const first = openStore(directory);
  const id = await create(first, "victim");
  await first.releaseLease(await lease(first, id));
  await first.close();
  rmSync(join(folderOf(directory, id), "journal.1.jsonl"));
  const store = openStore(directory);
  await expect(store.getTask(id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
});

test("a journal file that is another one's copy sets its task aside (G12)", async () => {
  const directory = emptyFolder();
  const first = openStore(directory);
  const id = await create(first, "victim");
  await first.releaseLease(await lease(first, id));
  await first.close();
  const folder = folderOf(directory, id);
  const [newest = "", older = ""] = readdirSync(folder)
    .filter((name) => name.startsWith("journal."))
    .sort()
    .reverse();
  writeFileSync(join(folder, newest), readFileSync(join(folder, older)));
  const store = openStore(directory);
  await expect(store.getTask(id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
});

describe("a changed byte", () => {
  test("anywhere in a journal's lines sets the task aside, unchanged, and no other (G12.1, G12.2)", async () => {
    const { bytes } = await damaged();
    for (let offset = 0; offset < bytes.byteLength; offset += 17) {
      const { directory, id, neighbour, path, bytes: own } = await damaged();
      const changed = Buffer.from(own);
      changed[offset] = (changed[offset] ?? 0) ^ 1;
      writeFileSync(path, changed);
      const store = openStore(directory, options);
      const read = store.getTask(id);
      await expect(read, `byte ${offset}`).rejects.toMatchObject({ code: "TASK_CORRUPT" });
      expect((await store.getTask(neighbour))?.record.lastSeq).toBe(1);
      const kept = join(directory, "quarantine", id);
      expect(readFileSync(join(kept, path.slice(path.lastIndexOf("/") + 1)))).toEqual(changed);
      await store.close();
    }
  });

  test("in an older file is found when that part is read", async () => {
    const { directory, id, path, bytes } = await damaged();
    const first = openStore(directory, options);
    const held = await lease(first, id, "worker-b");
    await commit(first, held, 4, [checkpoint(5)]);
    await first.close();
    const changed = Buffer.from(bytes);
    const offset = startOfLast(bytes, 2) + 30;
    changed[offset] = (changed[offset] ?? 0) ^ 1;
    writeFileSync(path, changed);
    const store = openStore(directory, options);
    expect((await store.getTask(id))?.record.lastSeq).toBe(5);
    const events = store.readEvents(id, { afterSeq: 0, limit: 100 });
    await expect(events).rejects.toMatchObject({ code: "TASK_CORRUPT" });
    await expect(store.getTask(id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
  });
});

describe("a task that was set aside", () => {
  async function setAside() {
    const { directory, id, neighbour, path, bytes } = await damaged();
    const changed = Buffer.from(bytes);
    changed[40] = (changed[40] ?? 0) ^ 1;
    writeFileSync(path, changed);
    return { directory, id, neighbour, store: openStore(directory, options) };
  }

  test("is skipped by lists, and leaves a report", async () => {
    const { directory, id, neighbour, store } = await setAside();
    expect((await store.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([neighbour]);
    expect((await store.countTasks({})).total).toBe(1);
    const runnable = await store.listRunnable({ tools: ["count_words"], now, limit: 10 });
    expect(runnable.tasks.map((task) => task.id)).toEqual([neighbour]);
    const report: unknown = JSON.parse(readFileSync(join(directory, "quarantine", `${id}.report.json`), "utf8"));
    expect(report).toMatchObject({ taskId: id, unfinished: true });
    expect(readdirSync(join(directory, "open"))).toEqual([neighbour]);
  });

  test("says whose it is, where a line is left that says it (G10)", async () => {
    const { id, store } = await setAside();
    const owned = { code: "TASK_CORRUPT", details: { owner: "client:test" } };
    for (const _place of ["tasks", "quarantine"]) await expect(store.getTask(id)).rejects.toMatchObject(owned);
  });

  test("says so to every call about it", async () => {
    const { id, store } = await setAside();
    const corrupt = { code: "TASK_CORRUPT" };
    await expect(store.acquireLease({ taskId: id, worker: "w", ttlMs: 1, now })).rejects.toMatchObject(corrupt);
    await expect(store.readItems(id, { after: 0, limit: 1 })).rejects.toMatchObject(corrupt);
    await expect(store.signal(id, { kind: "cancel" })).rejects.toMatchObject(corrupt);
    await expect(store.createTask({ task: newTask("victim"), reuseResultMs: 0, now })).rejects.toMatchObject(corrupt);
  });

  test("frees the call that it stood for", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, options);
    const id = await create(first, "victim", { key: "call" });
    await first.close();
    writeFileSync(journalOf(directory, id), "garbage\ngarbage\n");
    const store = openStore(directory, options);
    const { created } = await store.createTask({ task: newTask("next", { key: "call" }), reuseResultMs: 0, now });
    expect(created).toBe(true);
  });
});

test("a readable document that is damaged does no harm, and is kept when it is written again", async () => {
  const { directory, id } = await damaged();
  const path = join(folderOf(directory, id), "task.json");
  writeFileSync(path, "{ not json");
  const store = openStore(directory, options);
  expect((await store.getTask(id))?.record.lastSeq).toBe(4);
  await commit(store, await lease(store, id, "worker-b"), 4, [{ type: "completed", output: null }]);
  await store.close();
  expect(readFileSync(join(directory, "quarantine", `${id}.task.json`), "utf8")).toBe("{ not json");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ record: { status: "completed" } });
});
