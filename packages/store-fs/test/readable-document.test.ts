import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { at, checkpoint, commit, create, emptyFolder, folderOf, lease, openStore } from "./scene.js";

test("a task's document tells a reader who, what, how far and when, in UTC", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  const id = await create(store, "readable");
  const held = await lease(store, id);
  await commit(store, held, 1, [
    { type: "checkpoint", progress: 15, total: 50, message: "Processed 15/50 records", state: { next: 15 } },
    { type: "failed", error: { code: "TOOL_FAILED", message: "The file is gone." } },
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
      error: { code: "TOOL_FAILED", message: "The file is gone." },
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    },
  });
});

test("documents of tasks that run are written one after the other, and each in its turn", async () => {
  const directory = emptyFolder();
  const limits = { documentEveryCommits: 1, documentPauseMs: 100, documentSpacingMs: 50 };
  const store = openStore(directory, { durability: "process", limits });
  const held = [];
  for (const name of ["first", "second"]) held.push(await lease(store, await create(store, name)));
  const told: unknown[] = [];
  for (const [index, ms] of [0, 49, 50, 99, 100].entries()) {
    for (const each of held) {
      await store.commit({ lease: each, afterSeq: index + 1, events: [checkpoint(ms)], consume: [], now: at(ms) });
    }
    // Without syncs a document is written within promises alone.
    await new Promise<void>((resolve) => setImmediate(resolve));
    told.push(held.map(({ taskId }) => progressIn(join(folderOf(directory, taskId), "task.json"))));
  }
  expect(told).toEqual([
    [0, undefined],
    [0, undefined],
    [0, 50],
    [0, 50],
    [100, 50],
  ]);
});

function progressIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8")).record.progress;
  } catch {
    return undefined;
  }
}
