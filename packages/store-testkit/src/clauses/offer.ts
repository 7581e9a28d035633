import type { Store } from "@resumable-mcp/core";
import type { Offers } from "@resumable-mcp/core/store";
import { expectEqual } from "../expect.js";
import { createKitClock, defineClauses, type Scene, ttlMs } from "../scene.js";

const [a, b] = ["worker-a", "worker-b"];
const first: Offers = { train: { version: "1" } };
/** What the names of tools and versions may be is for the engine to say. */
const all: Offers = Object.fromEntries([
  ["train", { version: "2", accepts: ["1", "nul \u0000, half \ud800"], stateShape: "{}" }],
  ["__proto__", { version: "", stateShape: '{"at":0}' }],
]);

const seenBy = async (scene: Scene, store: Store, worker = b, clock = scene.clock) =>
  (await store.listOffers({ worker, ttlMs, now: clock.now() })).map(({ offers }) => offers);

/** What workers say that they run. The rule for versions in the engine rests on these. */
export const offerClauses = defineClauses({
  "OFFER-1": {
    title: "lists what each other worker published, exactly, under the worker's name",
    because: "A worker leaves a task to the one that offers the task's own version.",
    async check(scene) {
      const now = scene.clock.now();
      await scene.store.heartbeat({ worker: a, now, offers: all });
      await scene.store.heartbeat({ worker: "worker-c", now });
      const seen = await scene.store.listOffers({ worker: b, ttlMs, now });
      expectEqual(seen, [{ worker: a, offers: all }], "what another worker sees");
      expectEqual(await seenBy(scene, scene.store, a), [], "what the worker itself sees");
    },
  },
  "OFFER-2": {
    title: "lists the newest of a worker's offers, and keeps them through heartbeats and leases without offers",
    because: "Tools join when their validator comes; most heartbeats change nothing.",
    async check(scene) {
      const { record } = await scene.create();
      const beat = (offers?: Offers) => scene.store.heartbeat({ worker: a, now: scene.clock.now(), offers });
      await beat(first);
      await beat(all);
      await beat();
      await scene.lease(record.id);
      expectEqual(await seenBy(scene, scene.store), [all], "what another worker sees");
    },
  },
  "OFFER-3": {
    title: "shows offers to another process, until their store is closed",
    because: "The replicas of a rolling upgrade are processes.",
    needs: "second",
    async check(scene) {
      const other = await scene.another("second");
      await other.heartbeat({ worker: a, now: scene.clock.now(), offers: all });
      expectEqual(await seenBy(scene, scene.store), [all], "offers of another process");
      await other.close();
      expectEqual(await seenBy(scene, scene.store), [], "offers of a closed store");
    },
  },
  "OFFER-4": {
    title: "lists no offers of a worker whose heartbeat stood still for ttlMs, and all of one whose heartbeat moves",
    because: "The version of a dead worker is offered by none: its tasks would wait for it.",
    needs: "far",
    async check(scene) {
      const [store, clock] = [await scene.another("far"), createKitClock(7_777_777)];
      const beat = () => scene.store.heartbeat({ worker: a, now: scene.clock.now(), offers: all });
      await beat();
      expectEqual(await seenBy(scene, store, b, clock), [all], "offers at first");
      clock.advance(ttlMs - 1);
      await beat();
      expectEqual(await seenBy(scene, store, b, clock), [all], "offers after a heartbeat");
      clock.advance(ttlMs - 1);
      expectEqual(await seenBy(scene, store, b, clock), [all], "offers before ttlMs");
      clock.advance(2);
      expectEqual(await seenBy(scene, store, b, clock), [], "offers after ttlMs");
    },
  },
});
