import { asked, checkpoint, completed, started } from "../event-samples.js";
import { expectCode, expectEqual, expectThat } from "../expect.js";
import { readAllItems, readJournal } from "../read-journal.js";
import { defineClauses, type Scene, ttlMs } from "../scene.js";

/** Everything that can be read of a task. */
async function allOf(scene: Scene, id: string, store = scene.store) {
  const { record, signals } = await scene.read(id, store);
  return { record, signals, events: (await readJournal(store, id)).events, items: await readAllItems(store, id) };
}

/** Everything that can be read of all tasks and sessions together. */
async function viewsOf(scene: Scene, store = scene.store) {
  const now = { ...scene.clock.now(), wallMs: scene.clock.now().wallMs + 2_000 };
  return {
    // A task of a dead process does not run: that changes with its death.
    list: (await store.listTasks({ limit: 10 })).tasks.map((summary) => ({ ...summary, status: "any" })),
    total: (await store.countTasks({})).total,
    expired: await store.listExpired({ now, limit: 10 }),
    idle: await store.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs, limit: 10 }),
  };
}

/** What the death of a process leaves. */
export const durabilityClauses = defineClauses({
  "DUR-1": {
    title: "keeps what has resolved when the process dies",
    because: "G1: a commit that has resolved survives.",
    needs: "reopen",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.commit(held, [started, checkpoint(1, ["a"])]);
      await scene.commit(held, [checkpoint(2, ["b"]), { type: "step", key: "k", value: [1] }]);
      await scene.store.signal(record.id, { kind: "detach" });
      const session = await scene.putSession("s", 1);
      const { id } = await scene.taskWith([checkpoint(1, ["c"]), completed]);
      await scene.store.signal(id, { kind: "delivered" });
      const look = async (store = scene.store) => ({
        unfinished: await allOf(scene, record.id, store),
        finished: await allOf(scene, id, store),
        views: await viewsOf(scene, store),
      });
      const before = await look();
      const store = await scene.another("reopen");
      expectEqual(await look(store), before, "what is there");
      expectEqual(await store.getDocument("session", "s"), session, "the session");
    },
  },
  "DUR-2": {
    title:
      "frees the tasks of a dead process, at once or after ttlMs, and continues with the next seq and a higher epoch",
    because: "Coming back is what all this is for.",
    needs: "reopen",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.commit(held, [started, checkpoint(1, ["a"])]);
      const store = await scene.another("reopen");
      const options = { store, worker: "worker-b" };
      const early = await scene.tryLease(record.id, options);
      scene.clock.advance(ttlMs + 1);
      const next = early ?? (await scene.lease(record.id, options));
      expectThat(next.epoch > held.epoch, `epoch ${next.epoch} is higher than ${held.epoch}`);
      const committed = await scene.commit(next, [checkpoint(2, ["b"]), completed], { store });
      expectEqual(committed.record.lastSeq, 5, "lastSeq");
      expectEqual(await readAllItems(store, record.id), ["a", "b"], "items");
    },
  },
  "DUR-3": {
    title: "lets the same call join its task after the process died",
    because: "G7 holds across crashes.",
    needs: "reopen",
    async check(scene) {
      const unfinished = await scene.create({ key: "unfinished" });
      const finished = await scene.taskWith([completed], { key: "finished" });
      const store = await scene.another("reopen");
      const again = (key: string) => scene.create({ key }, store);
      const ids = [(await again("unfinished")).record.id, (await again("finished")).record.id];
      expectEqual(ids, [unfinished.record.id, finished.id], "tasks of the calls");
    },
  },
  "DUR-4": {
    title: "keeps answers exclusive after the process died",
    because: "G9 holds across crashes.",
    needs: "reopen",
    async check(scene) {
      const { id } = await scene.taskWith([asked("go"), asked("stop")]);
      const answer = { kind: "answer", key: "go", answer: { action: "decline" } } as const;
      const consumed = { ...answer, key: "stop" } as const;
      await scene.store.signal(id, consumed);
      const held = await scene.lease(id);
      const consume = await scene.pendingIds(id);
      await scene.commit(held, [{ type: "answered", key: "stop", answer: consumed.answer }], { consume });
      await scene.store.signal(id, answer);
      const store = await scene.another("reopen");
      await expectCode(store.signal(id, answer), ["ALREADY_ANSWERED"], "a second answer to one that waits");
      await expectCode(store.signal(id, consumed), ["ALREADY_ANSWERED"], "a second answer to one that was consumed");
      expectEqual((await scene.read(id, store)).signals.length, 1, "signals");
    },
  },
  "DUR-5": {
    title: "keeps deleted what was deleted before the process died",
    because: "A task that comes back would run again.",
    needs: "reopen",
    async check(scene) {
      const { id } = await scene.taskWith([completed]);
      await scene.store.deleteTask(await scene.lease(id));
      const store = await scene.another("reopen");
      expectEqual(await store.getTask(id), undefined, "the task");
      expectEqual((await store.countTasks({})).total, 0, "tasks");
    },
  },
});
