import type { Store } from "@resumable-mcp/core";
import { checkpoint, completed } from "../event-samples.js";
import { expectEqual, expectThat } from "../expect.js";
import { type Clause, createKitClock, type Scene, ttlMs } from "../scene.js";

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
  const { record } = await scene.create();
  const held = await scene.lease(record.id);
  const [store, clock] = [await scene.another("far"), createKitClock(7_777_777)];
  const attempt = () => scene.tryLease(record.id, { store, clock, worker: b });
  expectEqual(await attempt(), undefined, "the lease when first seen from afar");
  return { id: record.id, held, store, clock, attempt };
}

/** Who may write a task, and until when. */
export const leaseClauses: readonly Clause[] = [
  {
    id: "LEASE-1",
    level: "MUST",
    title: "refuses a task whose lease a live worker holds",
    because: "G4: two runners at once would do the work twice.",
    async check(scene) {
      const { record } = await scene.create();
      await scene.lease(record.id);
      expectEqual(await scene.tryLease(record.id, { worker: b }), undefined, "a lease for a second worker");
    },
  },
  {
    id: "LEASE-2",
    level: "MUST",
    title: "refuses a second lease to the worker that holds the first",
    because: "One process must not run a task twice either.",
    async check(scene) {
      const { record } = await scene.create();
      await scene.lease(record.id);
      expectEqual(await scene.tryLease(record.id), undefined, "a second lease for one worker");
    },
  },
  {
    id: "LEASE-3",
    level: "MUST",
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
      expectThat(
        epochs.every((epoch, index) => epoch > (epochs[index - 1] ?? 0)),
        `epochs ${epochs} rise`,
      );
    },
  },
  {
    id: "LEASE-4",
    level: "MUST",
    title: `gives one of ${concurrentTakers} concurrent takers the lease`,
    because: "Looking and taking are one step.",
    async check(scene) {
      expectEqual(await winners(scene, [scene.store]), 1, "winners");
    },
  },
  {
    id: "LEASE-5",
    level: "MUST",
    title: `gives one of ${concurrentTakers} concurrent takers in two processes the lease`,
    because: "After a crash all other processes reach for the orphans at once.",
    needs: "second",
    async check(scene) {
      expectEqual(await winners(scene, [scene.store, await scene.another("second")]), 1, "winners");
    },
  },
  {
    id: "LEASE-6",
    level: "MUST",
    title: "changes nothing for the next holder when an old lease is released again",
    because: "A runner that wakes late gives back what is no longer its own.",
    async check(scene) {
      const { record } = await scene.create();
      const old = await scene.lease(record.id);
      await scene.store.releaseLease(old);
      await scene.store.releaseLease(old);
      const held = await scene.lease(record.id, { worker: b });
      await scene.store.releaseLease(old);
      expectEqual(await scene.tryLease(record.id, { worker: "worker-c" }), undefined, "a lease for a third worker");
      expectEqual((await scene.commit(held, [completed])).record.lastSeq, 2, "lastSeq");
    },
  },
  {
    id: "LEASE-7",
    level: "MUST",
    title: "gives the lease of a finished task",
    because: "Restarting and deleting need it.",
    async check(scene) {
      const { id } = await scene.taskWith([completed]);
      await scene.lease(id);
    },
  },
  {
    id: "LEASE-8",
    level: "MUST",
    title: "tells whether a task is leased",
    because: "A task that says running while no worker runs it never comes back.",
    async check(scene) {
      const { record } = await scene.create();
      const held = await scene.lease(record.id);
      expectEqual((await scene.read(record.id)).leased, true, "leased while held");
      await scene.store.releaseLease(held);
      expectEqual((await scene.read(record.id)).leased, false, "leased after release");
    },
  },
  {
    id: "LEASE-9",
    level: "MUST",
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
  {
    id: "LEASE-10",
    level: "MUST",
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
  {
    id: "LEASE-11",
    level: "MUST",
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
];
