import { checkpoint, completed } from "../event-samples.js";
import { expectCode, expectEqual, expectThat, outcomeOf } from "../expect.js";
import { readJournal } from "../read-journal.js";
import { type Clause, createKitClock, type Scene, ttlMs } from "../scene.js";

const races = 8;

/** A task whose first holder lost its lease to a second one, and does not know. */
async function takenOver(scene: Scene) {
  const { record } = await scene.create();
  const old = await scene.lease(record.id);
  await scene.store.releaseLease(old);
  return { id: record.id, old, held: await scene.lease(record.id, { worker: "worker-b" }) };
}

/** How writers that lost their lease are kept out. */
export const fenceClauses: readonly Clause[] = [
  {
    id: "FENCE-1",
    level: "MUST",
    title: "refuses the commit of an older epoch and changes nothing",
    because: "G4: only the newest epoch writes.",
    async check(scene) {
      const { id, old, held } = await takenOver(scene);
      const before = await scene.read(id);
      await expectCode(scene.commit(old, [checkpoint(1)]), ["LEASE_LOST"], "a commit of an older epoch");
      expectEqual(await scene.read(id), before, "the task after it");
      expectEqual((await scene.commit(held, [checkpoint(2)])).record.lastSeq, 2, "lastSeq of the newer epoch");
    },
  },
  {
    id: "FENCE-2",
    level: "MUST",
    title: "refuses the commit of an older epoch however late it comes",
    because: "A process that slept for a week wakes in the middle of a write.",
    async check(scene) {
      const { id, old, held } = await takenOver(scene);
      await scene.commit(held, [checkpoint(1), completed]);
      await scene.store.releaseLease(held);
      scene.clock.advance(7 * 24 * 60 * 60 * 1000);
      await expectCode(scene.commit(old, [checkpoint(2)]), ["LEASE_LOST"], "a commit a week later");
      expectEqual((await readJournal(scene.store, id)).events.length, 3, "events");
    },
  },
  {
    id: "FENCE-3",
    level: "MUST",
    title: "refuses a worker that was silent for too long, when another took over",
    because: "A stopped process does not know that it was stopped.",
    needs: "far",
    async check(scene) {
      const { record } = await scene.create();
      const old = await scene.lease(record.id);
      const options = { store: await scene.another("far"), clock: createKitClock(), worker: "worker-b" };
      await scene.tryLease(record.id, options);
      options.clock.advance(ttlMs + 1);
      const held = await scene.lease(record.id, options);
      await scene.commit(held, [checkpoint(1)], options);
      await expectCode(scene.commit(old, [checkpoint(2)]), ["LEASE_LOST"], "a commit of the silent worker");
      expectEqual((await scene.read(record.id)).record.progress, 1, "progress");
    },
  },
  {
    id: "FENCE-4",
    level: "MUST",
    title: "refuses a commit after the lease was given back",
    because: "A worker that gave a task back must not believe to be running it.",
    async check(scene) {
      const { record } = await scene.create();
      const held = await scene.lease(record.id);
      await scene.store.releaseLease(held);
      await expectCode(scene.commit(held, [checkpoint(1)]), ["LEASE_LOST"], "a commit after release");
      expectEqual((await scene.read(record.id)).record, record, "the record");
    },
  },
  {
    id: "FENCE-5",
    level: "MUST",
    title: "refuses to delete a task by a lost lease",
    because: "A late sweep would remove a task that was restarted.",
    async check(scene) {
      const { id, old, held } = await takenOver(scene);
      await expectCode(scene.store.deleteTask(old), ["LEASE_LOST"], "deleting by an older epoch");
      await scene.store.releaseLease(held);
      await expectCode(scene.store.deleteTask(held), ["LEASE_LOST"], "deleting after release");
      expectThat((await scene.store.getTask(id)) !== undefined, "the task is still there");
    },
  },
  {
    id: "FENCE-6",
    level: "MUST",
    title: "consumes no signal for an older epoch",
    because: "A request would be lost that was not carried out.",
    async check(scene) {
      const { id, old } = await takenOver(scene);
      await scene.store.signal(id, { kind: "cancel" });
      const { signals } = await scene.read(id);
      const consume = signals.map((signal) => signal.id);
      await expectCode(scene.commit(old, [], { consume }), ["LEASE_LOST"], "a commit of an older epoch");
      expectEqual((await scene.read(id)).signals, signals, "signals");
    },
  },
  {
    id: "FENCE-7",
    level: "MUST",
    title: "shows the next holder every commit that was acknowledged to the one before, also in a race",
    because: "G2 and G4: what was acknowledged is never lost, what was not is never believed.",
    needs: "far",
    async check(scene) {
      const [store, clock] = [await scene.another("far"), createKitClock()];
      for (let race = 0; race < races; race++) {
        const { record } = await scene.create();
        const old = await scene.lease(record.id, { worker: `worker-old-${race}` });
        const options = { store, clock, worker: `worker-new-${race}` };
        await scene.tryLease(record.id, options);
        clock.advance(ttlMs + 1);
        const takeOver = async () => {
          const held = await scene.lease(record.id, options);
          return { held, seen: (await scene.read(record.id, store)).record.lastSeq };
        };
        const late = scene.commit(old, [checkpoint(1, [race])], { afterSeq: 1 });
        const [outcome, { held, seen }] = await Promise.all([outcomeOf(late), takeOver()]);
        expectThat(outcome === "ok" || outcome === "LEASE_LOST", `the late commit gives ${outcome}`);
        if (outcome === "ok") expectEqual(seen, 2, "lastSeq that the next holder sees");
        await scene.commit(held, [checkpoint(2)], { store, afterSeq: seen });
        for (const reader of [store, scene.store]) {
          expectEqual((await readJournal(reader, record.id)).events.length, seen + 1, "events in the end");
        }
      }
    },
  },
];
