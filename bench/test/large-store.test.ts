import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, onTestFinished, test } from "vitest";
import { fillStore } from "../src/stores/large-store.js";
import { now, temporaryFolder } from "../src/stores/stored-tasks.js";

test("a filled store lists, counts and reads its tasks as if it had made them itself", async () => {
  const { directory, remove } = await temporaryFolder();
  onTestFinished(remove);
  await fillStore(directory, { finished: 30, unfinished: 3, waiting: 4 });
  const store = createFsStore({ directory });
  onTestFinished(() => store.close());
  const byStatus = { completed: 30, pending: 3, input_required: 4 };
  expect(await store.countTasks({})).toMatchObject({ total: 37, byStatus });
  const { tasks } = await store.listTasks({ limit: 100, statuses: ["completed"] });
  for (const { id } of tasks) {
    const { events } = await store.readEvents(id, { afterSeq: 0, limit: 100 });
    expect(events.map(({ type }) => type)).toEqual(["created", "attempt_started", "completed"]);
  }
  const { tasks: due } = await store.listRunnable({ tools: ["bench"], limit: 10, now: now() });
  expect(due).toHaveLength(3);
});
