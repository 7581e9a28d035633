import { describe, expect, it } from "vitest";
import { ResumableError } from "../../errors.js";
import { createMemoryStore } from "../../store/memory/memory-store.js";
import type { Store } from "../../store/store.js";
import { UnfinishedTasks } from "./unfinished-tasks.js";

const owner = "client:a";
const now = { wallMs: 0, monotonicMs: 0 };

/** A store with an unfinished task of each name, of which one cannot be read. */
async function storeWith(names: readonly string[], damaged: string): Promise<Store> {
  const store = createMemoryStore();
  for (const name of names) {
    const rest = { tool: "job", toolVersion: "1", key: name, input: null, detached: true, ttlMs: 1 } as const;
    await store.createTask({ task: { id: name.padEnd(16, "-"), owner, ...rest }, reuseResultMs: 0, now });
  }
  return {
    ...store,
    async getTask(id) {
      if (!id.startsWith(damaged)) return store.getTask(id);
      throw new ResumableError("TASK_CORRUPT", "damaged", { details: { taskId: id, path: "" } });
    },
  };
}

describe("the number of an owner's unfinished tasks", () => {
  it("leaves out a task whose files are damaged, which keeps no other from being made (G12)", async () => {
    const store = await storeWith(["one", "two"], "two");
    const unfinished = new UnfinishedTasks(store, 2);
    for (const id of ["one", "over"]) unfinished.add({ owner, id: id.padEnd(16, "-"), key: id });
    await expect(unfinished.admit({ owner, id: "next", key: "next" })).resolves.toEqual(expect.any(Function));
  });

  it("has room again for a call that waited when the one before it made none (G11)", async () => {
    const unfinished = new UnfinishedTasks(createMemoryStore(), 1);
    const leave = await unfinished.admit({ owner, id: "one", key: "one" });
    let isAdmitted = false;
    const waiting = unfinished.admit({ owner, id: "two", key: "two" }).then(() => {
      isAdmitted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAdmitted).toBe(false);
    leave();
    await waiting;
  });
});
