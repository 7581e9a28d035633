import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commit, create, emptyFolder, folderOf, lease, openStore } from "./scene.js";

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
