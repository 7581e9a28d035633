import type { Store } from "@resumable-mcp/core";
import type { NewTask } from "@resumable-mcp/core/store";
import { cancelled, completed, failed, started, terminal } from "../event-samples.js";
import { expectEqual, pluck } from "../expect.js";
import { foldJournal, readJournal } from "../read-journal.js";
import { defineClauses, reuseResultMs, type Scene } from "../scene.js";

const call = { key: "same-call" };
const concurrentCreates = 20;

/** Creates the same task many times at once, and gives the ids that came back and how many were created. */
async function createMany(scene: Scene, stores: readonly Store[], parts: Partial<NewTask> = call) {
  const indexes = Array.from({ length: concurrentCreates }, (_, index) => index);
  const made = await Promise.all(indexes.map((index) => scene.create(parts, stores[index % stores.length])));
  return { ids: new Set(made.map(({ record }) => record.id)).size, created: made.filter((one) => one.created).length };
}

/** Makes a finished task and the same call again. */
async function createAfter(scene: Scene, end: typeof completed, waitMs = 0) {
  const first = await scene.taskWith([end], call);
  scene.clock.advance(waitMs);
  const second = await scene.create(call);
  return { reused: second.record.id === first.id, created: second.created };
}

/** Makes a call that continues what failed. */
function continueCall(scene: Scene, parts: Partial<NewTask>) {
  const request = { task: scene.newTask(parts), reuseResultMs: 60_000, continueFailed: true, now: scene.clock.now() };
  return scene.store.createTask(request);
}

/** Makes a call that was accepted some time ago. */
async function createLate(scene: Scene, acceptedMs: number, parts: Partial<NewTask> = call) {
  const request = { task: scene.newTask(parts), reuseResultMs, acceptedMs, now: scene.clock.now() };
  const { snapshot, created } = await scene.store.createTask(request);
  return { id: snapshot.record.id, created };
}

/** Which task belongs to a call. */
export const identityClauses = defineClauses({
  "ID-1": {
    title: "makes a task with its first event",
    because: "The journal is the one truth: a task without a first event has no record.",
    async check(scene) {
      const task = scene.newTask();
      const made = await scene.store.createTask({ task, reuseResultMs: 0, now: scene.clock.now() });
      const at = new Date(scene.clock.now().wallMs).toISOString();
      const journal = await readJournal(scene.store, task.id);
      expectEqual(made.created, true, "created");
      expectEqual(journal.events, [{ type: "created", task, seq: 1, at }], "the journal of a new task");
      expectEqual(made.snapshot, { record: foldJournal(journal), signals: [], leased: false }, "a new task");
      expectEqual(await scene.store.getTask(task.id), made.snapshot, "the task when read");
    },
  },
  "ID-2": {
    title: "returns the task of an id that exists, whatever its status",
    because: "A caller that repeats a request whose answer was lost gets its task, not a second one.",
    async check(scene) {
      for (const events of [[], [started], [completed], [failed], [cancelled]]) {
        const before = await scene.taskWith(events);
        const again = await scene.create({ id: before.id, tool: "other_tool" });
        expectEqual([again.created, again.record], [false, before], `the id of a task that is ${before.status}`);
      }
    },
  },
  "ID-3": {
    title: "lets the same call of the same owner join its unfinished task",
    because: "G7: a caller that comes back gets the work that is under way.",
    async check(scene) {
      const first = await scene.create(call);
      const second = await scene.create(call);
      expectEqual([second.created, second.record.id], [false, first.record.id], "the same call again");
      await scene.commit(await scene.lease(first.record.id), [started]);
      const third = await scene.create(call);
      expectEqual([third.created, third.record.id], [false, first.record.id], "the call of a task that runs");
    },
  },
  "ID-4": {
    title: "keeps the calls of other owners and other keys apart",
    because: "G10: an owner never gets another's task.",
    async check(scene) {
      await scene.create({ owner: "client:a", key: "b:c" });
      const others = [
        await scene.create({ owner: "client:x", key: "b:c" }),
        await scene.create({ owner: "client:a", key: "b" }),
        await scene.create({ owner: "client:a:b", key: "c" }),
        await scene.create({ owner: "client:A", key: "b:c" }),
      ];
      expectEqual(pluck(others, "created"), [true, true, true, true], "created");
    },
  },
  "ID-5": {
    title: `makes one task of ${concurrentCreates} concurrent creations of one call`,
    because: "A host that sends a call twice must not have it done twice.",
    async check(scene) {
      expectEqual(await createMany(scene, [scene.store]), { ids: 1, created: 1 }, "concurrent creations");
      expectEqual((await scene.store.countTasks({})).total, 1, "tasks");
    },
  },
  "ID-6": {
    title: `makes one task of ${concurrentCreates} concurrent creations in two processes`,
    because: "Several hosts on one folder are normal.",
    needs: "second",
    async check(scene) {
      const stores = [scene.store, await scene.another("second")];
      expectEqual(await createMany(scene, stores), { ids: 1, created: 1 }, "concurrent creations");
      for (const store of stores) expectEqual((await store.countTasks({})).total, 1, "tasks");
    },
  },
  "ID-7": {
    title: `makes one task of ${concurrentCreates} concurrent creations of one id`,
    because: "A repeated request may overtake the first.",
    async check(scene) {
      // Without a key: else the call would find the task for an id that was overlooked.
      const many = await createMany(scene, [scene.store], { id: "one-id-for-all-of-them" });
      expectEqual(many, { ids: 1, created: 1 }, "concurrent creations");
    },
  },
  "ID-8": {
    title: "returns a completed task that was not delivered, within reuseResultMs",
    because: "The answer of a call whose connection broke is not computed twice.",
    async check(scene) {
      const again = await createAfter(scene, completed, 59_999);
      expectEqual(again, { reused: true, created: false }, "the same call again");
    },
  },
  "ID-9": {
    title: "makes a new task after reuseResultMs",
    because: "An old answer may be wrong by now.",
    async check(scene) {
      const again = await createAfter(scene, completed, 60_001);
      expectEqual(again, { reused: false, created: true }, "the same call again");
    },
  },
  "ID-10": {
    title: "makes a new task when the result was delivered",
    because: "A caller that has the answer and calls again wants a new one.",
    async check(scene) {
      const first = await scene.taskWith([completed], call);
      await scene.store.signal(first.id, { kind: "delivered" });
      expectEqual((await scene.create(call)).created, true, "created");
    },
  },
  "ID-11": {
    title: "never reuses a failed or cancelled task",
    because: "Calling again after a failure means trying again.",
    async check(scene) {
      expectEqual(await createAfter(scene, failed), { reused: false, created: true }, "after a failure");
      const third = await scene.create({ key: "other" });
      await scene.write(third.record.id, [cancelled]);
      expectEqual((await scene.create({ key: "other" })).created, true, "created after a cancellation");
    },
  },
  "ID-12": {
    title: "never lets a call without a key join a task",
    because: "A tool may say that no two calls are the same.",
    async check(scene) {
      await scene.create({ key: null });
      expectEqual((await scene.create({ key: null })).created, true, "created");
    },
  },
  "ID-13": {
    title: "returns a failed task, as it is, to a call that continues it",
    because: "G7: the same call after a failure continues from the last checkpoint.",
    async check(scene) {
      const before = await scene.taskWith([failed], call);
      const again = await continueCall(scene, call);
      expectEqual([again.created, again.snapshot.record], [false, before], "the call that continues");
      expectEqual((await scene.create(call)).created, true, "created by a call that does not continue");
    },
  },
  "ID-14": {
    title: "makes a new task for a call that continues after a terminal failure or a cancellation",
    because: "Such a task has nothing to be continued.",
    async check(scene) {
      for (const end of [terminal, cancelled]) {
        const key = `call-${end.type}`;
        await scene.taskWith([end], { key });
        const again = await continueCall(scene, { key });
        expectEqual(again.created, true, `created after ${end.type}`);
      }
    },
  },
  "ID-15": {
    title:
      "returns a completed task that finished after the call was accepted, delivered or not, and no other finished one",
    because: "A call that comes late would have joined that task: its work must not be done twice.",
    async check(scene) {
      const acceptedMs = scene.clock.now().wallMs;
      scene.clock.advance(1);
      const { id } = await scene.taskWith([completed], call);
      await scene.store.signal(id, { kind: "delivered" });
      await scene.taskWith([failed], { key: "failed" });
      await scene.taskWith([cancelled], { key: "cancelled" });
      scene.clock.advance(reuseResultMs);
      expectEqual(
        await createLate(scene, acceptedMs),
        { id, created: false },
        "a call accepted before the task finished",
      );
      for (const key of ["failed", "cancelled"])
        expectEqual((await createLate(scene, acceptedMs, { key })).created, true, `created after a task that ${key}`);
      const next = await createLate(scene, acceptedMs + 1);
      expectEqual(next.created, true, "created by a call that was accepted when the task had finished");
      expectEqual(
        await createLate(scene, acceptedMs),
        { ...next, created: false },
        "the call joins the unfinished task",
      );
    },
  },
});
