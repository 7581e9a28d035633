import { checkpoint, completed, failed, restarted } from "../event-samples.js";
import { expectCode, expectEqual } from "../expect.js";
import { defineClauses, type Scene, ttlMs } from "../scene.js";

const missing = "kit-task-that-was-never-made";

/** Calls every method that names a task and does not ask for its lease. */
async function expectNotFound({ store, clock }: Scene, id: string): Promise<void> {
  const calls = {
    acquireLease: store.acquireLease({ taskId: id, worker: "worker-a", ttlMs, now: clock.now() }),
    readEvents: store.readEvents(id, { afterSeq: 0, limit: 1 }),
    readItems: store.readItems(id, { after: 0, limit: 1 }),
    readChunk: store.readChunk(id, "1-1", 0),
    signal: store.signal(id, { kind: "cancel" }),
  };
  // All were called already: each must be waited for, also after one of them is wrong.
  const checks = Object.entries(calls).map(([name, call]) => expectCode(call, ["TASK_NOT_FOUND"], name));
  await Promise.all(checks);
}

/** How tasks go, and what is said of those that are not there. */
export const removalClauses = defineClauses({
  "DELETE-1": {
    title: "removes a task from every view",
    because: "What a person deletes exists nowhere any more.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a"]), completed]);
      const unfinished = (await scene.create()).record.id;
      for (const each of [id, unfinished]) await scene.store.deleteTask(await scene.lease(each));
      expectEqual(await scene.store.getTask(id), undefined, "the task");
      expectEqual(await scene.store.listTasks({ limit: 10 }), { tasks: [] }, "the list");
      expectEqual(await scene.store.countTasks({}), { total: 0, byStatus: {}, byTool: {} }, "the counts");
      const expired = await scene.store.listExpired({ now: { wallMs: 2e12, monotonicMs: 0 }, limit: 10 });
      expectEqual(expired, [], "the expired tasks");
      const wanted = { tools: ["count_words"], now: scene.clock.now(), limit: 10 } as const;
      expectEqual(await scene.store.listRunnable(wanted), { tasks: [] }, "the runnable tasks");
      await expectNotFound(scene, id);
    },
  },
  "DELETE-2": {
    title: "frees the call of a deleted task",
    because: "Else the call would never find a task again.",
    async check(scene) {
      const { record } = await scene.create({ key: "same-call" });
      await scene.store.deleteTask(await scene.lease(record.id));
      expectEqual((await scene.create({ key: "same-call" })).created, true, "created");
    },
  },
  "DELETE-3": {
    title: "ends the lease with the task",
    because: "A runner that continues must not bring the task back.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.store.deleteTask(held);
      const late = scene.commit(held, [checkpoint(1)], { afterSeq: 1 });
      await expectCode(late, ["TASK_NOT_FOUND", "LEASE_LOST"], "a commit after deletion");
      await scene.store.releaseLease(held);
      expectEqual(await scene.store.getTask(record.id), undefined, "the task");
    },
  },
  "DELETE-4": {
    title: "gives the call of a deleted task back to the one that had it before",
    because: "A result that is there is not computed twice because a later attempt was thrown away.",
    async check(scene) {
      const call = { key: "same-call" };
      const first = await scene.taskWith([failed], call);
      const done = await scene.taskWith([completed], call);
      await scene.write(first.id, [restarted(2, true)]);
      await scene.store.deleteTask(await scene.lease(first.id));
      const again = await scene.create(call);
      expectEqual([again.created, again.record.id], [false, done.id], "the same call");
    },
  },
  "MISSING-1": {
    title: "says TASK_NOT_FOUND of a task that is not there, and getTask gives undefined",
    because: "Callers tell a wrong id from a broken store.",
    async check(scene) {
      expectEqual(await scene.store.getTask(missing), undefined, "getTask");
      await expectNotFound(scene, missing);
    },
  },
});
