import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { at, checkpoint, commit, create, emptyFolder, folderOf, lease, openStore } from "./scene.js";

test("a task's document tells a reader who, what, how far and when, in UTC", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  const id = await create(store, "readable");
  const held = await lease(store, id);
  await commit(store, held, 1, [
    { type: "checkpoint", progress: 15, total: 50, message: "Processed 15/50 records", state: { next: 15 } },
    { type: "failed", error: { code: "TOOL_FAILED", message: "The file was removed." } },
  ]);
  await store.close();
  const text = readFileSync(join(folderOf(directory, id), "task.json"), "utf8");
  expect(text.split("\n").length).toBeGreaterThan(10);
  expect(JSON.parse(text)).toMatchObject({
    record: {
      id,
      owner: "client:test",
      tool: "count_words",
      input: { path: "book.txt" },
      status: "failed",
      progress: 15,
      total: 50,
      state: { next: 15 },
      error: { code: "TOOL_FAILED", message: "The file was removed." },
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    },
  });
});

test.each([
  ["of one checkpoint", [["one"]], { last_batch: ["one"] }],
  ["of the newest that appended some", [["one"], ["two", "three"], undefined], { last_batch: ["two", "three"] }],
  ["not where they are large", [["one"], ["x".repeat(5_000)]], undefined],
])("a task's document shows the items that were appended last: %s (feature 52)", async (_, batches, data) => {
  const directory = emptyFolder();
  const store = openStore(directory);
  const held = await lease(store, await create(store, "batches"));
  for (const [n, items] of batches.entries()) await commit(store, held, n + 1, [checkpoint(n, items)]);
  await store.close();
  const text = readFileSync(join(folderOf(directory, held.taskId), "task.json"), "utf8");
  expect(JSON.parse(text).data).toEqual(data);
});

test("G11 a task's document stays small, and says what it leaves out, whatever the input, state and output hold", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  const deep = JSON.parse(
    `[${Array(700)
      .fill("[".repeat(58) + "]".repeat(58))
      .join(",")}]`,
  );
  const id = await create(store, "large", { input: { value: deep } });
  const held = await lease(store, id);
  await commit(store, held, 1, [{ type: "checkpoint", progress: 1, state: { deep, at: 1 } }]);
  await store.close();
  const text = readFileSync(join(folderOf(directory, id), "task.json"), "utf8");
  const left = expect.stringMatching(/^\d+ characters; resumable-mcp show \S+ --store DIR prints them$/);
  expect(JSON.parse(text)).toMatchObject({
    leftOut: { input: left, state: left },
    record: { progress: 1, input: null },
  });
  expect(text.length).toBeLessThan(4_096);
});

/** Without syncs a document is written within promises alone. */
const written = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the document of a task that runs (feature 41)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  const commitAt = (store: Store, held: Lease, progress: number, ms: number) =>
    store.commit({ lease: held, afterSeq: progress, events: [checkpoint(progress)], consume: [], now: at(ms) });

  test("shows the newest checkpoint half a second after its first or the one before, without another commit", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, { durability: "process" });
    const held = await lease(store, await create(store, "task"));
    const shown: unknown[] = [];
    const look = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await written();
      shown.push(progressIn(join(folderOf(directory, held.taskId), "task.json")));
    };
    await commitAt(store, held, 1, 0);
    await look(0);
    await commitAt(store, held, 2, 100);
    await commitAt(store, held, 3, 200);
    await look(499);
    await look(1);
    await commitAt(store, held, 4, 2_000);
    await look(0);
    expect(shown).toEqual([undefined, undefined, 3, 4]);
  });

  test("is written after those of others whose turn came before", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, { durability: "process" });
    const held: Lease[] = [];
    for (const name of ["first", "second"]) held.push(await lease(store, await create(store, name)));
    for (const each of held) await commitAt(store, each, 1, 0);
    const shown = () => held.map(({ taskId }) => progressIn(join(folderOf(directory, taskId), "task.json")));
    vi.advanceTimersByTime(500);
    await written();
    expect(shown()).toEqual([1, undefined]);
    vi.advanceTimersByTime(15);
    await written();
    expect(shown()).toEqual([1, 1]);
    vi.useRealTimers();
    await store.close();
  });

  test("is not replaced by a worker that another one has followed (G4)", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, { durability: "process" });
    const second = openStore(directory, { durability: "process" });
    const held = await lease(first, await create(first, "task"));
    await commitAt(first, held, 1, 0);
    await written();
    await commitAt(first, held, 2, 100);
    await first.releaseLease(held);
    await commitAt(second, await lease(second, held.taskId, "worker-b"), 3, 200);
    await written();
    vi.advanceTimersByTime(1_000);
    await written();
    expect(progressIn(join(folderOf(directory, held.taskId), "task.json"))).toBe(3);
    await first.close();
    expect(progressIn(join(folderOf(directory, held.taskId), "task.json"))).toBe(3);
  });

  test("is a copy, and costs no sync", async () => {
    const directory = emptyFolder();
    const drafts = new Set<number>();
    const synced: number[] = [];
    const disk: Disk = {
      ...nodeDisk,
      open(path, flags) {
        const file = nodeDisk.open(path, flags);
        if (path.includes(".draft.") && path.includes(`${sep}tasks${sep}`)) drafts.add(file);
        else drafts.delete(file);
        return file;
      },
      syncData(file) {
        if (drafts.has(file)) synced.push(file);
        return nodeDisk.syncData(file);
      },
    };
    const store = openStore(directory, { disk, limits: { documentPauseMs: 0 } });
    const held = await lease(store, await create(store, "task"));
    const path = join(folderOf(directory, held.taskId), "task.json");
    for (const progress of [1, 2, 3]) {
      await commitAt(store, held, progress, progress);
      await expect.poll(() => progressIn(path)).toBe(progress);
    }
    await commit(store, held, 4, [{ type: "completed", output: 1 }]);
    await store.close();
    expect([synced, progressIn(path)]).toEqual([[], 3]);
  });
});

function progressIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8")).record.progress;
  } catch {
    return undefined;
  }
}
