import type { Store } from "@resumable-mcp/core";
import { checkpoint, completed } from "../event-samples.js";
import { expectCode, expectEqual, expectThat, findOutcome } from "../expect.js";
import { readJournal } from "../read-journal.js";
import { createKitClock, defineClauses, type Scene, ttlMs } from "../scene.js";

const b = "worker-b";
const concurrentTakers = 20;
const yearMs = 365 * 24 * 60 * 60 * 1000;

async function winners(scene: Scene, stores: readonly Store[]): Promise<number> {
  const { record } = await scene.create();
  const takers = Array.from({ length: concurrentTakers }, (_, index) =>
    scene.tryLease(record.id, { worker: `worker-${index}`, store: stores[index % stores.length] ?? scene.store }),
  );
  return (await Promise.all(takers)).filter((lease) => lease !== undefined).length;
}

/** A task held by worker a of the scene's store, and a process far away with clocks of its own that has seen it. */
async function heldFromAfar(scene: Scene) {
  const { record, held } = await scene.held();
  const [store, clock] = [await scene.another("far"), createKitClock(7_777_777)];
  const attempt = () => scene.tryLease(record.id, { store, clock, worker: b });
  expectEqual(await attempt(), undefined, "the lease when first seen from afar");
  return { id: record.id, held, store, clock, attempt };
}

/** Who may write a task, and until when. */
export const leaseClauses = defineClauses({
  "LEASE-1": {
    title: "refuses a task whose lease a live worker holds",
    because: "G4: two runners at once would do the work twice.",
    async check(scene) {
      const { record } = await scene.held();
      expectEqual(await scene.tryLease(record.id, { worker: b }), undefined, "a lease for a second worker");
    },
  },
  "LEASE-2": {
    title: "refuses a second lease to the worker that holds the first",
    because: "One process must not run a task twice either.",
    async check(scene) {
      const { record } = await scene.held();
      expectEqual(await scene.tryLease(record.id), undefined, "a second lease for one worker");
    },
  },
  "LEASE-3": {
    title: "gives a released task to the next worker, with a higher epoch and the task as it is",
    because: "The epoch is the fencing number, and a runner continues from what it is shown.",
    async check(scene) {
      const { record } = await scene.create();
      const epochs: number[] = [];
      for (const worker of ["worker-a", b, "worker-a"]) {
        const before = await scene.read(record.id);
        const request = { taskId: record.id, worker, ttlMs, now: scene.clock.now() };
        const taken = await scene.store.acquireLease(request);
        expectThat(taken !== undefined, `the lease is free for ${worker}`);
        expectEqual([taken.lease.taskId, taken.lease.worker], [record.id, worker], "the lease");
        expectEqual(taken.snapshot, { ...before, leased: true }, "the snapshot");
        epochs.push(taken.lease.epoch);
        await scene.commit(taken.lease, [checkpoint(epochs.length)]);
        await scene.store.signal(record.id, { kind: "pause" });
        await scene.store.releaseLease(taken.lease);
      }
      const isRising = epochs.every((epoch, index) => epoch > (epochs[index - 1] ?? 0));
      expectThat(isRising, `epochs ${epochs} rise`);
    },
  },
  "LEASE-4": {
    title: `gives one of ${concurrentTakers} concurrent takers the lease`,
    because: "Looking and taking are one step.",
    async check(scene) {
      expectEqual(await winners(scene, [scene.store]), 1, "winners");
    },
  },
  "LEASE-5": {
    title: `gives one of ${concurrentTakers} concurrent takers in two processes the lease`,
    because: "After a crash all other processes reach for the orphans at once.",
    needs: "second",
    async check(scene) {
      expectEqual(await winners(scene, [scene.store, await scene.another("second")]), 1, "winners");
    },
  },
  "LEASE-6": {
    title: "changes nothing for the next holder when an old lease is released again",
    because: "A runner that wakes late gives back what is no longer its own.",
    async check(scene) {
      const { record, held: old } = await scene.held();
      await scene.store.releaseLease(old);
      await scene.store.releaseLease(old);
      const held = await scene.lease(record.id, { worker: b });
      await scene.store.releaseLease(old);
      expectEqual(await scene.tryLease(record.id, { worker: "worker-c" }), undefined, "a lease for a third worker");
      expectEqual((await scene.commit(held, [completed])).record.lastSeq, 2, "lastSeq");
    },
  },
  "LEASE-7": {
    title: "gives the lease of a finished task",
    because: "Restarting and deleting need it.",
    async check(scene) {
      const { id } = await scene.taskWith([completed]);
      await scene.lease(id);
    },
  },
  "LEASE-8": {
    title: "tells whether a task is leased",
    because: "A task that says running while no worker runs it never comes back.",
    async check(scene) {
      const { record, held } = await scene.held();
      expectEqual((await scene.read(record.id)).leased, true, "leased while held");
      await scene.store.releaseLease(held);
      expectEqual((await scene.read(record.id)).leased, false, "leased after release");
    },
  },
  "LEASE-9": {
    title: "takes over when a heartbeat stood still for ttlMs of the observer's monotonic clock, not before",
    because: "Tasks of a dead machine come back; those of a slow one are left alone.",
    needs: "far",
    async check(scene) {
      const { id, store, clock, attempt } = await heldFromAfar(scene);
      clock.advance(ttlMs - 1);
      expectEqual(await attempt(), undefined, "the lease before ttlMs");
      clock.advance(2);
      await store.listRunnable({ tools: [], now: clock.now(), limit: 1 });
      expectEqual((await scene.read(id, store)).leased, false, "leased after ttlMs");
      expectThat((await attempt()) !== undefined, "the lease is free after ttlMs");
    },
  },
  "LEASE-10": {
    title: "keeps all leases of a worker while its heartbeat moves",
    because: "Long steps without a commit are normal.",
    needs: "far",
    async check(scene) {
      const { clock, attempt, store } = await heldFromAfar(scene);
      const other = (await scene.create()).record.id;
      await scene.lease(other);
      const free = async () =>
        [await attempt(), await scene.tryLease(other, { store, clock, worker: b })].some(Boolean);
      expectEqual(await free(), false, "a lease is free at first");
      for (let beat = 1; beat <= 3; beat++) {
        await scene.store.heartbeat({ worker: "worker-a", now: scene.clock.now() });
        expectEqual(await free(), false, `a lease is free at beat ${beat}`);
        clock.advance(ttlMs - 1);
        expectEqual(await free(), false, `a lease is free after beat ${beat}`);
      }
    },
  },
  "LEASE-11": {
    title: "lets no lease expire when a wall clock jumps",
    because: "Clocks are set, and laptops sleep.",
    needs: "far",
    async check(scene) {
      const { clock, attempt } = await heldFromAfar(scene);
      clock.jumpWall(yearMs);
      scene.clock.jumpWall(-yearMs);
      clock.advance(1);
      expectEqual(await attempt(), undefined, "the lease after a jump");
    },
  },
});

const races = 8;

/** A task whose first holder lost its lease to a second one, and does not know. */
async function takenOver(scene: Scene) {
  const { record, held: old } = await scene.held();
  await scene.store.releaseLease(old);
  return { id: record.id, old, held: await scene.lease(record.id, { worker: "worker-b" }) };
}

/** How writers that lost their lease are kept out. */
export const fenceClauses = defineClauses({
  "FENCE-1": {
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
  "FENCE-2": {
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
  "FENCE-3": {
    title: "refuses a worker that was silent for too long, when another took over",
    because: "A stopped process does not know that it was stopped.",
    needs: "far",
    async check(scene) {
      const { record, held: old } = await scene.held();
      const options = { store: await scene.another("far"), clock: createKitClock(), worker: "worker-b" };
      await scene.tryLease(record.id, options);
      options.clock.advance(ttlMs + 1);
      const held = await scene.lease(record.id, options);
      await scene.commit(held, [checkpoint(1)], options);
      await expectCode(scene.commit(old, [checkpoint(2)]), ["LEASE_LOST"], "a commit of the silent worker");
      expectEqual((await scene.read(record.id)).record.progress, 1, "progress");
    },
  },
  "FENCE-4": {
    title: "refuses a commit after the lease was given back",
    because: "A worker that gave a task back must not believe to be running it.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.store.releaseLease(held);
      await expectCode(scene.commit(held, [checkpoint(1)]), ["LEASE_LOST"], "a commit after release");
      expectEqual((await scene.read(record.id)).record, record, "the record");
    },
  },
  "FENCE-5": {
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
  "FENCE-6": {
    title: "consumes no signal for an older epoch",
    because: "Otherwise a request that was not carried out would be lost.",
    async check(scene) {
      const { id, old } = await takenOver(scene);
      await scene.store.signal(id, { kind: "cancel" });
      const { signals } = await scene.read(id);
      const consume = signals.map((signal) => signal.id);
      await expectCode(scene.commit(old, [], { consume }), ["LEASE_LOST"], "a commit of an older epoch");
      expectEqual((await scene.read(id)).signals, signals, "signals");
    },
  },
  "FENCE-7": {
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
        const [outcome, { held, seen }] = await Promise.all([findOutcome(late), takeOver()]);
        expectThat(outcome === "ok" || outcome === "LEASE_LOST", `the late commit gives ${outcome}`);
        if (outcome === "ok") expectEqual(seen, 2, "lastSeq that the next holder sees");
        await scene.commit(held, [checkpoint(2)], { store, afterSeq: seen });
        for (const reader of [store, scene.store]) {
          expectEqual((await readJournal(reader, record.id)).events.length, seen + 1, "events in the end");
        }
      }
    },
  },
});
