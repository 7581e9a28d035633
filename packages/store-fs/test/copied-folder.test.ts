import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { openFsAdmin } from "../src/admin/fs-admin.js";
import { checkpoint, commit, create, emptyFolder, lease, openStore } from "./scene.js";

/** Copies a folder as `cp -r` does, in the order of names, and lets something happen after each file. */
async function copy(from: string, to: string, afterEach: () => Promise<void>): Promise<void> {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).sort()) {
    const [source, target] = [join(from, name), join(to, name)];
    const stat = statSync(source, { throwIfNoEntry: false });
    if (stat?.isDirectory()) await copy(source, target, afterEach);
    else if (stat !== undefined) {
      copyFileSync(source, target);
      await afterEach();
    }
  }
}

/** A task that commits its next item each time it is asked to, and at last ends. */
async function worker(store: Store, name: string, length: number) {
  const id = await create(store, name);
  const held = await lease(store, id);
  let [seq, items] = [1, 0];
  return {
    id,
    async step(): Promise<void> {
      if (items > length) return;
      items += 1;
      const events =
        items > length ? [{ type: "completed", output: null } as const] : [checkpoint(items, [`${items}`])];
      seq = (await commit(store, held, seq, events)).lastSeq;
      if (items > length) await store.releaseLease(held);
    },
  };
}

test("a copy that is made while tasks run has each task as it was at some moment, and no damage (G12)", async () => {
  const [original, copied] = [emptyFolder(), emptyFolder()];
  const limits = { rotateBytes: 400, maxJournalFiles: 100 };
  const store = openStore(original, { durability: "process", limits });
  const workers = await Promise.all([3, 10, 1_000].map((length) => worker(store, `task-${length}`, length)));
  let made = 0;
  await copy(original, copied, async () => {
    made += 1;
    if (made < 5) await create(store, `later-${made}`);
    for (const { step } of workers) await step();
  });
  expect(made).toBeGreaterThan(10);
  const { problems } = await openFsAdmin(copied).check();
  expect(problems.filter(({ severity }) => severity === "damage")).toEqual([]);
  const restored = openStore(copied, { durability: "process", limits });
  for (const { id } of workers) {
    const snapshot = await restored.getTask(id);
    const { items } = await restored.readItems(id, { after: 0, limit: 1_000 });
    expect(items).toEqual(Array.from({ length: snapshot?.record.progress ?? -1 }, (_, index) => `${index + 1}`));
  }
  const { total, byStatus } = await restored.countTasks({});
  expect(total).toBe(Object.values(byStatus).reduce((sum, count) => sum + count, 0));
  expect(total).toBeGreaterThanOrEqual(workers.length);
});
