import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { at, create, emptyFolder, folderOf, lease, openStore } from "../../store-fs/test/scene.js";
import { everything, json, run } from "./command-line.js";

const dayMs = 24 * 60 * 60 * 1000;
const options = { durability: "process" } as const;

/** A store with tasks that finished so many days ago, and an unfinished one that is older than all. */
async function filled(...daysAgo: readonly number[]) {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const open = await create(store, "open");
  const ids: string[] = [];
  for (const [index, days] of daysAgo.entries()) {
    const id = await create(store, `task-${index}`, { ttlMs: 365 * dayMs });
    const when = at(Date.now() - days * dayMs - at(0).wallMs);
    const held = await lease(store, id, "worker-a", when);
    await store.commit({
      lease: held,
      afterSeq: 1,
      events: [{ type: "completed", output: 1 }],
      consume: [],
      now: when,
    });
    await store.releaseLease(held);
    ids.push(id);
  }
  return { directory, store, open, ids };
}

describe("clean --older-than", () => {
  test("counts finished tasks by their age, changes nothing, and deletes them on request", async () => {
    const { directory, store, open, ids } = await filled(1, 6.9, 7.1, 40);
    await store.close();
    const [one, six, seven, forty] = ids;
    const args = ["clean", "--older-than", "7d", "--store", directory];
    const before = everything(directory);
    expect(await json(...args)).toEqual({
      code: 0,
      value: { store: directory, olderThan: "7d", applied: false, tasks: expect.arrayContaining([seven, forty]) },
    });
    expect((await run(...args)).out).toBe(
      "2 tasks finished more than 7d ago. Nothing was changed. Add --apply to delete them.",
    );
    expect(everything(directory)).toBe(before);

    expect((await run(...args, "--apply")).out).toBe("2 tasks deleted that finished more than 7d ago");
    const there = [open, one, six, seven, forty].map((id) => existsSync(folderOf(directory, id ?? "")));
    expect(there).toEqual([true, true, true, false, false]);
    const list = await json("tasks", "--all", "--store", directory);
    expect(list).toMatchObject({
      value: {
        tasks: expect.arrayContaining(
          [{ task_id: open }, { task_id: one }, { task_id: six }].map((task) => expect.objectContaining(task)),
        ),
      },
    });
    expect(await json("check", "--store", directory)).toMatchObject({ code: 0, value: { tasks: 3, problems: [] } });
  });

  test("leaves a task that another process holds, and says so", async () => {
    const { directory, store, ids } = await filled(8, 9);
    const [held = "", free = ""] = ids;
    await lease(store, held, "worker-b");
    const cleaned = await json("clean", "--older-than", "1h", "--apply", "--store", directory);
    const refused = [{ taskId: held, reason: "another process is writing it" }];
    expect(cleaned).toMatchObject({ code: 1, value: { tasks: [free], refused } });
    expect(existsSync(folderOf(directory, held))).toBe(true);
  });

  test("refuses what is not a duration, and explains itself without one", async () => {
    const { directory } = await filled();
    const wrong = await run("clean", "--older-than", "7 days", "--store", directory);
    expect(wrong).toMatchObject({ code: 2, errors: expect.stringContaining("--older-than must be a time such as") });
    expect(await run("clean", "--store", directory)).toMatchObject({ code: 2 });
  });
});
