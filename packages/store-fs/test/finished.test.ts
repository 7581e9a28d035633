import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { at, commit, create, emptyFolder, lease, newTask, openStore } from "./scene.js";

const options = { durability: "process" } as const;
const dayMs = 24 * 60 * 60 * 1000;

/** Makes a task on a day, and finishes it on that day. */
async function finish(store: Store, id: string, day = 0): Promise<string> {
  const when = at(day * dayMs);
  const { snapshot } = await store.createTask({ task: newTask(id), reuseResultMs: 0, now: when });
  const taskId = snapshot.record.id;
  const held = await lease(store, taskId, "worker-a", when);
  await store.commit({ lease: held, afterSeq: 1, events: [{ type: "completed", output: 1 }], consume: [], now: when });
  await store.releaseLease(held);
  return taskId;
}

async function remove(store: Store, id: string): Promise<void> {
  await store.deleteTask(await lease(store, id));
}

function linesIn(directory: string): number {
  const folder = join(directory, "done");
  return readdirSync(folder).reduce(
    (sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1,
    0,
  );
}

describe("finished tasks", () => {
  test("are listed newest first over many days, in pages", async () => {
    const store = openStore(emptyFolder(), options);
    const ids: string[] = [];
    for (let day = 0; day < 12; day += 1) ids.unshift(await finish(store, `task-${day}`, day));
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.listTasks({ limit: 5, ...(cursor !== undefined && { cursor }) });
      listed.push(...page.tasks.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(listed).toEqual(ids);
  });

  test("count by their newest line after they began again", async () => {
    const store = openStore(emptyFolder(), options);
    const id = await create(store, "task");
    const held = await lease(store, id);
    const failed = { type: "failed", error: { code: "TOOL_FAILED", message: "no" } } as const;
    await commit(store, held, 1, [failed]);
    await commit(store, held, 2, [{ type: "restarted", generation: 2, fromState: true }]);
    expect((await store.countTasks({})).byStatus).toEqual({ pending: 1 });
    await commit(store, held, 3, [{ type: "completed", output: 1 }]);
    await store.releaseLease(held);
    expect(await store.countTasks({})).toMatchObject({ total: 1, byStatus: { completed: 1 } });
  });

  test("are listed again when an id is used again after a deletion", async () => {
    const store = openStore(emptyFolder(), options);
    const id = await finish(store, "task");
    await remove(store, id);
    expect(await store.countTasks({})).toMatchObject({ total: 0 });
    expect(await finish(store, "task")).toBe(id);
    expect((await store.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([id]);
    expect(await store.countTasks({})).toMatchObject({ total: 1 });
  });

  test("that were deleted leave nothing behind after the sweep, whichever store made their lines", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, options);
    const ids = [];
    for (let index = 0; index < 5; index += 1) ids.push(await finish(first, `task-${index}`));
    await first.close();
    const store = openStore(directory, options);
    for (const id of ids.slice(1)) await remove(store, id);
    expect(linesIn(directory)).toBe(9);
    await store.close();
    for (let sweep = 0; sweep < 2; sweep += 1) {
      const sweeper = openStore(directory, options);
      await sweeper.listExpired({ now: at(0), limit: 10 });
      await sweeper.close();
    }
    expect(linesIn(directory)).toBe(1);
    const last = openStore(directory, options);
    expect((await last.listTasks({ limit: 10 })).tasks.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect((await last.countTasks({})).total).toBe(1);
  });
});

test("finished tasks are listed once while another store takes over the file with their lines", async () => {
  const directory = emptyFolder();
  const gone = openStore(directory, options);
  const id = await finish(gone, "task");
  await gone.close();
  let taken = false;
  const disk: Disk = {
    ...nodeDisk,
    list(folder) {
      const names = nodeDisk.list(folder);
      const [name] = names;
      if (!taken && folder === join(directory, "done") && name !== undefined) {
        taken = true;
        renameSync(join(folder, name), join(folder, `${name.slice(0, 10)}.taker-c0.jsonl`));
      }
      return names;
    },
  };
  const store = openStore(directory, { ...options, disk });
  expect((await store.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([id]);
  expect(taken).toBe(true);
  expect((await store.countTasks({})).total).toBe(1);
});

test("finished tasks are listed of a file that another store wrote again after this one had read a part of it", async () => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push(await finish(first, `task-${index}`));
  const other = openStore(directory, options);
  expect((await other.countTasks({})).total).toBe(3);
  for (let index = 3; index < 7; index += 1) ids.push(await finish(first, `task-${index}`));
  for (const id of ids.splice(0, 2)) await remove(first, id);
  await first.listExpired({ now: at(0), limit: 10 });
  await first.close();
  expect((await other.listTasks({ limit: 10 })).tasks.map(({ id }) => id).sort()).toEqual(ids.sort());
});

test("a list that its own store writes again keeps its name: a copy of the folder under way has it", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push(await finish(store, `task-${index}`));
  await remove(store, ids[0] ?? "");
  const names = readdirSync(join(directory, "done"));
  await store.listExpired({ now: at(0), limit: 10 });
  await store.close();
  expect(readdirSync(join(directory, "done"))).toEqual(names);
  expect(linesIn(directory)).toBe(3);
});
