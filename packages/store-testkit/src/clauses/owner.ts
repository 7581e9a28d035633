import type { Store } from "@resumable-mcp/core";
import type { NewTask, TaskEventBody } from "@resumable-mcp/core/store";
import { completed, failed, restarted } from "../event-samples.js";
import { expectCode, expectEqual, findOutcome } from "../expect.js";
import { defineClauses, reuseResultMs, type Scene } from "../scene.js";

const concurrent = 60;
const max = 5;
const call = { key: "same-call" };
const group = "client:kit";

function create(scene: Scene, parts: Partial<NewTask> = {}, store = scene.store) {
  return store.createTask({ task: scene.newTask(parts), reuseResultMs, maxUnfinished: max, now: scene.clock.now() });
}

function put(scene: Scene, id: string, parts: { kind?: string; group?: string } = {}, store = scene.store) {
  const counted = { limit: "maxSessionsPerOwner", group, max, ...parts };
  const document = { kind: "kit", owner: "client:kit", value: id, expectedVersion: 0, ...parts };
  return store.putDocument({ ...document, id, counted, now: scene.clock.now() });
}

/** The outcomes of many calls at once, each as often as it came. */
async function tally(make: (index: number) => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const outcomes = await Promise.all(Array.from({ length: concurrent }, (_, index) => findOutcome(make(index))));
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  return Object.fromEntries([...new Set(outcomes)].sort().map((outcome) => [outcome, count(outcome)]));
}

const someRefused = { LIMIT_EXCEEDED: concurrent - max, ok: max };

function createMany(scene: Scene, stores: readonly Store[]) {
  return tally((index) => create(scene, {}, stores[index % stores.length]));
}

function putMany(scene: Scene, stores: readonly Store[]) {
  return tally((index) => put(scene, `many-${index}`, {}, stores[index % stores.length]));
}

/** Makes as many unfinished tasks as an owner may have, and gives their ids. */
async function fill(scene: Scene, last: Partial<NewTask> = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < max - 1) ids.push((await create(scene)).snapshot.record.id);
  ids.push((await create(scene, last)).snapshot.record.id);
  return ids;
}

/** What an owner may have at once, counted over all processes. */
export const ownerClauses = defineClauses({
  "OWNER-1": {
    title: "makes no task for an owner that has maxUnfinished unfinished ones, until one has finished",
    because: "G11: one owner must not take all that a server can hold.",
    async check(scene) {
      for (let made = 0; made < max; made += 1) await scene.taskWith([completed]);
      const [first = ""] = await fill(scene, call);
      await expectCode(create(scene), ["LIMIT_EXCEEDED"], "one more");
      expectEqual((await create(scene, call)).created, false, "a call that joins its task is one more");
      expectEqual((await create(scene, { owner: "client:other" })).created, true, "another owner's task is made");
      await scene.write(first, [completed]);
      expectEqual((await create(scene)).created, true, "made after one has finished");
      await expectCode(create(scene), ["LIMIT_EXCEEDED"], "one more after that");
    },
  },
  "OWNER-2": {
    title: `makes as many of ${concurrent} concurrent tasks of an owner as it may have`,
    because: "Counting and making are one step: all of them would be counted before any is made.",
    async check(scene) {
      expectEqual(await createMany(scene, [scene.store]), someRefused, "the outcomes");
    },
  },
  "OWNER-3": {
    title: `makes as many of ${concurrent} concurrent tasks of an owner in two processes as it may have`,
    because: "Each of n replicas would let an owner have as many.",
    needs: "second",
    async check(scene) {
      const other = await scene.another("second");
      expectEqual(await createMany(scene, [scene.store, other]), someRefused, "the outcomes");
      const { tasks } = await other.listTasks({ limit: 100 });
      await scene.write(tasks[0]?.id ?? "", [completed]);
      expectEqual(
        (await create(scene, {}, other)).created,
        true,
        "made in one process after one finished in the other",
      );
    },
  },
  "OWNER-4": {
    title:
      "refuses the restart of an owner that has maxUnfinished unfinished tasks, writes nothing, and leaves the lease",
    because: "A failed task that continues is one more under way.",
    async check(scene) {
      const { id, lastSeq } = await scene.taskWith([failed], call);
      const ids = await fill(scene);
      const lease = await scene.lease(id);
      const events: readonly TaskEventBody[] = [restarted(2, true)];
      const request = { lease, afterSeq: lastSeq, events, consume: [], maxUnfinished: max, now: scene.clock.now() };
      await expectCode(scene.store.commit(request), ["LIMIT_EXCEEDED"], "the restart");
      expectEqual((await scene.read(id)).record.lastSeq, lastSeq, "the journal's end");
      await scene.write(ids[0] ?? "", [completed]);
      expectEqual((await scene.store.commit(request)).record.status, "pending", "restarted after one has finished");
      await expectCode(create(scene), ["LIMIT_EXCEEDED"], "one more after that");
    },
  },
  "OWNER-5": {
    title: "counts the unfinished tasks of processes that died",
    because: "A process that crashes and starts again must not begin to count from nothing.",
    needs: "reopen",
    async check(scene) {
      await fill(scene);
      const store = await scene.another("reopen");
      await expectCode(create(scene, {}, store), ["LIMIT_EXCEEDED"], "one more");
    },
  },
  "OWNER-6": {
    title: `makes as many of ${concurrent} concurrent documents of a group as it may have, until one is deleted`,
    because: "A caller that opens many sessions at once has no more of them than one who opens them one by one.",
    async check(scene) {
      expectEqual(await putMany(scene, [scene.store]), someRefused, "the outcomes");
      await expectCode(put(scene, "one-more"), ["LIMIT_EXCEEDED"], "one more");
      expectEqual(await scene.store.getDocument("kit", "one-more"), undefined, "the refused document");
      expectEqual((await put(scene, "a", { group: "client:other" })).value, "a", "a document of another group");
      expectEqual((await put(scene, "a", { kind: "kit-other" })).value, "a", "a document of another kind");
      const later = { idleSinceMs: scene.clock.now().wallMs + 1, limit: 100 };
      const made = (await scene.store.listIdleDocuments({ kind: "kit", ...later })).find(({ id }) => id !== "a");
      const { id = "", version: expectedVersion = 0 } = made ?? {};
      const change = { kind: "kit", id, owner: "client:kit", value: "new", expectedVersion };
      expectEqual((await scene.store.putDocument({ ...change, now: scene.clock.now() })).value, "new", "a change");
      await scene.store.deleteDocument("kit", id);
      expectEqual((await put(scene, "one-more")).id, "one-more", "made after one was deleted");
      await expectCode(put(scene, "too-many"), ["LIMIT_EXCEEDED"], "one more after that");
    },
  },
  "OWNER-7": {
    title: `makes as many of ${concurrent} concurrent documents of a group in two processes as it may have`,
    because: "Each of n replicas would let an owner have as many.",
    needs: "second",
    async check(scene) {
      const other = await scene.another("second");
      expectEqual(await putMany(scene, [scene.store, other]), someRefused, "the outcomes");
    },
  },
  "OWNER-8": {
    title: "lists the idle documents of a group alone, oldest first, as far as the limit",
    because:
      "An owner with as many sessions as it may have loses the one that was not used for longest, and no other owner's.",
    async check(scene) {
      const uncounted = { kind: "kit", id: "uncounted", owner: "client:kit", value: "none", expectedVersion: 0 };
      await scene.store.putDocument({ ...uncounted, now: scene.clock.now() });
      await put(scene, "other", { group: "client:other" });
      await put(scene, "other", { kind: "kit-other" });
      const versions: number[] = [];
      for (const id of ["b", "a", "c"]) {
        versions.push((await put(scene, id)).version);
        scene.clock.advance(1_000);
      }
      const [expectedVersion = 0] = versions;
      const change = { kind: "kit", id: "b", owner: "client:kit", value: "new", expectedVersion };
      await scene.store.putDocument({ ...change, now: scene.clock.now() });
      await put(scene, "deleted");
      await scene.store.deleteDocument("kit", "deleted");
      scene.clock.advance(1_000);
      const idle = async (idleSinceMs: number, limit: number) =>
        (await scene.store.listIdleDocuments({ kind: "kit", group, idleSinceMs, limit })).map(({ id }) => id);
      const { wallMs } = scene.clock.now();
      expectEqual(await idle(wallMs, 10), ["a", "c", "b"], "idle documents of the group");
      expectEqual(await idle(wallMs - 1_000, 10), ["a", "c"], "those that were put before the last second");
      expectEqual(await idle(wallMs, 1), ["a"], "the first of them");
    },
  },
});
