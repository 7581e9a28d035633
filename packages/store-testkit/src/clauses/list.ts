import { summarise, type TaskSummary } from "@resumable-mcp/core/store";
import { asked, checkpoint, completed, failed, started } from "../event-samples.js";
import { expectCode, expectEqual, expectThat, pluck } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

/** Makes tasks one after another, `apartMs` between them; gives their ids, newest first. */
async function createSeveral(scene: Scene, count: number, apartMs: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    ids.unshift((await scene.create()).record.id);
    scene.clock.advance(apartMs);
  }
  return ids;
}

/** Reads a whole list page by page; between pages something may happen. */
async function listAll(scene: Scene, limit: number, between = async () => {}): Promise<readonly TaskSummary[]> {
  const tasks: TaskSummary[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await scene.store.listTasks({ limit, ...(cursor === undefined ? {} : { cursor }) });
    expectThat(page.tasks.length <= limit, `a page of ${limit} tasks holds no more`);
    expectThat(page.tasks.length > 0 || cursor === undefined, "a page is not empty that the one before promised");
    tasks.push(...page.tasks);
    cursor = page.nextCursor;
    expectThat(cursor === undefined || !seen.has(cursor), "each page gives a cursor of its own");
    if (cursor !== undefined) seen.add(cursor);
    await between();
  } while (cursor !== undefined);
  return tasks;
}

/** Lists and counts. */
export const listClauses = defineClauses({
  "LIST-1": {
    title: "lists tasks newest first, in pages of any size, and says when there are no more",
    because: "What a person wants to see is what was done last.",
    async check(scene) {
      const newestFirst = await createSeveral(scene, 7, 1);
      // Work on an old task does not move it.
      await scene.write(newestFirst[4] ?? "", [checkpoint(1)]);
      for (const limit of [1, 3, 7, 100]) {
        expectEqual(pluck(await listAll(scene, limit), "id"), newestFirst, `tasks in pages of ${limit}`);
      }
    },
  },
  "LIST-2": {
    title: "lists each task once when many were made in the same millisecond",
    because: "A cursor that is only a time repeats or loses them.",
    async check(scene) {
      const ids = (await createSeveral(scene, 9, 0)).sort();
      const listed = pluck(await listAll(scene, 2), "id");
      expectEqual([...listed].sort(), ids, "tasks, sorted by id");
      const orders = [JSON.stringify(ids), JSON.stringify(ids.toReversed())];
      expectThat(orders.includes(JSON.stringify(listed)), `tasks of the same millisecond come by id: ${listed}`);
    },
  },
  "LIST-3": {
    title: "lists each task once while others are added between pages",
    because: "Users page while tasks run.",
    async check(scene) {
      const ids = await createSeveral(scene, 6, 1);
      const listed = pluck(
        await listAll(scene, 2, async () => {
          scene.clock.advance(1);
          await scene.create();
        }),
        "id",
      );
      expectEqual(listed, ids, "tasks");
    },
  },
  "LIST-4": {
    title: "filters by owner, tool and status, and cuts pages after filtering",
    because: "G10: an owner's list holds nothing of others, not even gaps.",
    async check(scene) {
      const a = { owner: "client:a" };
      const wanted = await scene.taskWith([failed], { ...a, tool: "train" });
      for (const parts of [
        { ...a, tool: "count" },
        { owner: "client:b", tool: "train" },
      ]) {
        await scene.taskWith([failed], parts);
      }
      await scene.taskWith([completed], { ...a, tool: "train" });
      const query = { ...a, tool: "train", statuses: ["failed", "cancelled"], limit: 1 } as const;
      const page = await scene.store.listTasks(query);
      expectEqual(page, { tasks: [summarise(wanted, "failed")] }, "the page");
      expectEqual((await scene.store.listTasks({ ...a, limit: 10 })).tasks.length, 3, "tasks of the owner");
      const none = await scene.store.listTasks({ statuses: [], limit: 10 });
      expectEqual(none, { tasks: [] }, "tasks of no status");
    },
  },
  "LIST-5": {
    title: "lists and counts statuses as readStatus sees them",
    because: "A task whose process died does not run, whatever its journal says.",
    async check(scene) {
      const orphan = await scene.taskWith([started]);
      const running = await scene.create();
      await scene.commit(await scene.lease(running.record.id), [started]);
      const paused = await scene.create();
      await scene.store.signal(paused.record.id, { kind: "pause" });
      const asking = await scene.taskWith([asked("go")]);
      const { tasks } = await scene.store.listTasks({ limit: 10 });
      const statuses = new Map(tasks.map(({ id, status }) => [id, status]));
      const order = [orphan.id, running.record.id, paused.record.id, asking.id];
      const expected = ["pending", "running", "paused", "input_required"];
      const found = order.map((id) => statuses.get(id) ?? null);
      expectEqual(found, expected, "statuses");
      const runningOnly = await scene.store.listTasks({ statuses: ["running"], limit: 10 });
      expectEqual(pluck(runningOnly.tasks, "id"), [running.record.id], "tasks that run");
      const { byStatus } = await scene.store.countTasks({});
      expectEqual(byStatus, { pending: 1, running: 1, paused: 1, input_required: 1 }, "counts");
    },
  },
  "LIST-6": {
    title: "lists summaries that are up to date",
    because: "A list is a view of the journal, not a second truth.",
    async check(scene) {
      const { id } = await scene.taskWith([started, checkpoint(3)], { session: "session-1" });
      await scene.write(id, [{ type: "checkpoint", progress: 4, message: "four" }, failed]);
      const { record } = await scene.read(id);
      const { tasks } = await scene.store.listTasks({ limit: 10 });
      expectEqual(tasks, [summarise(record, "failed")], "the list");
    },
  },
  "LIST-7": {
    title: "counts the tasks of one owner or of all, finished ones or not, by status and tool",
    because: "Statistics are views of the same truth.",
    async check(scene) {
      await scene.taskWith([completed], { owner: "client:a", tool: "train" });
      await scene.taskWith([failed], { owner: "client:a" });
      await scene.create({ owner: "client:b" });
      const own = { total: 2, byStatus: { completed: 1, failed: 1 }, byTool: { train: 1, count_words: 1 } };
      expectEqual(await scene.store.countTasks({ owner: "client:a" }), own, "counts of one owner");
      const all = {
        total: 3,
        byStatus: { completed: 1, failed: 1, pending: 1 },
        byTool: { train: 1, count_words: 2 },
      };
      expectEqual(await scene.store.countTasks({}), all, "counts of all");
      const unfinished = { total: 1, byStatus: { pending: 1 }, byTool: { count_words: 1 } };
      const none = { total: 0, byStatus: {}, byTool: {} };
      expectEqual(await scene.store.countTasks({ unfinished: true }), unfinished, "counts of unfinished tasks");
      for (const [owner, counts] of [
        ["client:a", none],
        ["client:b", unfinished],
      ] as const)
        expectEqual(await scene.store.countTasks({ owner, unfinished: true }), counts, `unfinished ones of ${owner}`);
    },
  },
  "LIST-8": {
    title: "lists finished tasks whose ttlMs is over, the first finished first, and no unfinished one",
    because: "The sweep deletes what this lists.",
    async check(scene) {
      await scene.create({ ttlMs: 0 });
      const late = await scene.create({ ttlMs: 1_000 });
      const early = await scene.taskWith([failed], { ttlMs: 1_000 });
      scene.clock.advance(1);
      await scene.write(late.record.id, [completed]);
      scene.clock.advance(998);
      await scene.taskWith([completed], { ttlMs: 1_000 });
      const list = (limit: number) => scene.store.listExpired({ now: scene.clock.now(), limit });
      expectEqual(await list(10), [], "expired before ttlMs");
      scene.clock.advance(2);
      expectEqual(await list(10), [early.id, late.record.id], "expired after ttlMs");
      expectEqual(await list(1), [early.id], "the first of them");
    },
  },
  "LIST-9": {
    title: "refuses a cursor that no page gave",
    because: "A caller that garbles a cursor must not take the first page for the next one.",
    async check(scene) {
      await createSeveral(scene, 2, 1);
      for (const cursor of ["", "0", "not a cursor"]) {
        await expectCode(scene.store.listTasks({ limit: 1, cursor }), ["INVALID_VALUE"], `the cursor "${cursor}"`);
      }
    },
  },
});
