import { createEngine, defineTool } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { nodeDisk } from "../src/disk/node-disk.js";
import { at, checkpoint, commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

const process = { durability: "process" } as const;
const large = (progress: number) => ({ ...checkpoint(progress), state: { text: "x".repeat(1_000) } });

test("a tool that fills its journal fails with QUOTA_EXCEEDED, and another owner's task continues (G11, G12)", async () => {
  const store = openStore(emptyFolder(), { ...process, limits: { maxJournalEvents: 20 } });
  const count = defineTool({
    name: "count_to",
    description: "Counts.",
    input: z.object({ n: z.number() }),
    async *run({ n }) {
      for (let at = 1; at <= n; at += 1) yield { progress: at, total: n };
      return "all";
    },
  });
  const engine = createEngine({ store, tools: [count] });
  const [greedy, modest] = [engine.forOwner("client:greedy"), engine.forOwner("client:modest")];
  const full = await greedy.start({ tool: "count_to", input: { n: 1_000 } });
  const other = await modest.start({ tool: "count_to", input: { n: 10 } });
  const failed = await greedy.wait(full.record.id);
  expect(failed.record).toMatchObject({ status: "failed", error: { code: "QUOTA_EXCEEDED" }, progress: 18 });
  expect(failed.record.error?.message).toContain("maxJournalEvents = 20");
  expect((await modest.wait(other.record.id)).record).toMatchObject({ status: "completed", output: "all" });
  await engine.close();
});

test("a journal's bytes are those of all its files, also when it rotates and after it was taken over", async () => {
  const limits = { maxJournalBytes: 30_000, rotateBytes: 2_000, maxJournalFiles: 100 };
  const store = openStore(emptyFolder(), { ...process, limits });
  const id = await create(store, "task");
  let held = await lease(store, id);
  let seq = 1;
  const fill = async () => {
    for (;;) seq = (await commit(store, held, seq, [large(seq)])).lastSeq;
  };
  await expect(fill()).rejects.toMatchObject({ details: { quota: "maxJournalBytes", limit: 30_000, taskId: id } });
  expect(seq).toBeGreaterThan(10);
  await store.releaseLease(held);
  held = await lease(store, id, "worker-b");
  await expect(fill()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  expect((await commit(store, held, seq, [{ type: "completed", output: 1 }])).lastSeq).toBe(seq + 1);
});

test("a store learns within remeasureMs what other processes made, and measures nothing while it has no quota", async () => {
  const directory = emptyFolder();
  const limited = openStore(directory, { ...process, limits: { maxStoreTasks: 3, remeasureMs: 1_000 } });
  const other = openStore(directory, process);
  await create(limited, "one");
  for (const id of ["two", "three", "four"]) await create(other, id);
  await create(limited, "five");
  const make = (id: string, ms: number) =>
    limited.createTask({ task: newTask(id), reuseResultMs: 0, now: at(ms) }).then(({ created }) => created);
  await expect(make("six", 1_000)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", details: { limit: 3, used: 5 } });
  expect(await make("five", 1_001)).toBe(false);
  for (const name of ["two", "three", "four"]) {
    await other.deleteTask(await lease(other, newTask(name).id, "worker-b", now));
  }
  await expect(make("six", 1_500)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  expect(await make("six", 2_001)).toBe(true);
});

test("a store takes no new tasks while its disk is short of room, and tasks under way continue and end (G11, G12)", async () => {
  let freeBytes = 2 ** 31;
  const disk = {
    ...nodeDisk,
    fileSystem: () => ({ type: 0, bytes: 2 ** 40, freeBytes, files: 0, freeFiles: 0 }),
  };
  const store = openStore(emptyFolder(), { ...process, disk });
  const call = { task: newTask("one", { key: "call" }), reuseResultMs: 0, now };
  const { snapshot } = await store.createTask(call);
  const held = await lease(store, snapshot.record.id);
  freeBytes = 2 ** 30 - 1;
  const details = { quota: "minFreeBytes", limit: 2 ** 30, used: freeBytes };
  await expect(create(store, "two")).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", details });
  expect((await store.createTask({ ...call, task: newTask("three", { key: "call" }) })).created).toBe(false);
  const { lastSeq } = await commit(store, held, 1, [large(1)]);
  await commit(store, held, lastSeq, [{ type: "completed", output: "done" }]);
  expect((await store.listTasks({ limit: 10 })).tasks).toMatchObject([{ id: snapshot.record.id, status: "completed" }]);
  freeBytes = 2 ** 30;
  expect(await create(store, "two")).toBe(newTask("two").id);
});

test("a store lists what is used of its quotas, and what is free on its disk", async () => {
  const limits = { maxStoreTasks: 5, maxStoreBytes: 2 ** 30 };
  const store = openStore(emptyFolder(), { ...process, limits });
  await create(store, "task");
  const quotas = (await store.listQuotas?.({ now })) ?? [];
  expect(quotas.slice(0, 2)).toEqual([
    { quota: "maxStoreTasks", limit: 5, used: 1 },
    { quota: "maxStoreBytes", limit: 2 ** 30, used: expect.any(Number) },
  ]);
  expect(quotas.slice(2)).toEqual([
    { quota: "minFreeBytes", free: expect.any(Number), kept: expect.any(Number) },
    { quota: "minFreeFilesPercent", free: expect.any(Number), kept: expect.any(Number) },
  ]);
});
