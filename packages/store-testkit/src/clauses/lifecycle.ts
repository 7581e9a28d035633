import { ResumableError, type Store } from "@resumable-mcp/core";
import { contractVersion } from "@resumable-mcp/core/store";
import { checkpoint } from "../event-samples.js";
import { expectCode, expectEqual, expectThat } from "../expect.js";
import { defineClauses, reuseResultMs, type Scene, ttlMs } from "../scene.js";

/** Every method that a store which was closed refuses; a new one cannot be forgotten. */
type Method = Exclude<keyof Store, "contractVersion" | "capabilities" | "close">;

/** What a method that a store does not have would say. */
function storeClosed(): ResumableError {
  return new ResumableError("STORE_CLOSED", "The store has no such method.", { details: {} });
}

/** Calls every method once. */
async function everyCall(scene: Scene): Promise<{ readonly [Name in Method]: () => Promise<unknown> }> {
  const { store, clock } = scene;
  const { record, held: lease } = await scene.held();
  const [now, id] = [clock.now(), record.id];
  return {
    open: () => store.open(),
    createTask: () => store.createTask({ task: scene.newTask(), reuseResultMs, now }),
    getTask: () => store.getTask(id),
    listTasks: () => store.listTasks({ limit: 1 }),
    listExpired: () => store.listExpired({ now, limit: 1 }),
    countTasks: () => store.countTasks({}),
    listRunnable: () => store.listRunnable({ tools: [], now, limit: 1 }),
    acquireLease: () => store.acquireLease({ taskId: id, worker: "worker-b", ttlMs, now }),
    heartbeat: () => store.heartbeat({ worker: "worker-a", now }),
    listOffers: () => store.listOffers({ worker: "worker-a", ttlMs, now }),
    releaseLease: () => store.releaseLease(lease),
    commit: () => store.commit({ lease, afterSeq: 1, events: [checkpoint(1)], consume: [], now }),
    readEvents: () => store.readEvents(id, { afterSeq: 0, limit: 1 }),
    readItems: () => store.readItems(id, { after: 0, limit: 1 }),
    putChunk: () => store.putChunk({ lease, artifact: "1-1", index: 0, bytes: new Uint8Array(1), keep: [] }),
    readChunk: () => store.readChunk(id, "1-1", 0),
    signal: () => store.signal(id, { kind: "cancel" }),
    watch: async () => store.watch(id, () => {}),
    deleteTask: () => store.deleteTask(lease),
    getDocument: () => store.getDocument("session", "a"),
    putDocument: () => scene.putSession("a", 1),
    deleteDocument: () => store.deleteDocument("session", "a"),
    checkHealth: async () => {
      if (store.checkHealth === undefined) throw storeClosed();
      await store.checkHealth();
    },
    listQuotas: async () => {
      if (store.listQuotas === undefined) throw storeClosed();
      await store.listQuotas({ now });
    },
    listIdleDocuments: () => store.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs, limit: 1 }),
  };
}

/** The beginning and the end of a store, and what it declares. */
export const lifecycleClauses = defineClauses({
  "OPEN-1": {
    title: "opens twice, also at the same time, and serves calls then",
    because: "A server and its engine both open the store.",
    async check(scene) {
      await Promise.all([scene.store.open(), scene.store.open()]);
      await scene.store.open();
      const { record } = await scene.create();
      expectEqual((await scene.read(record.id)).record, record, "the task");
    },
  },
  "OPEN-2": {
    title: "serves calls that come before it is opened",
    because: "Reading one task needs no server and no engine.",
    async check(scene) {
      const { record } = await scene.create();
      await scene.store.open();
      expectEqual((await scene.read(record.id)).record, record, "the task");
    },
  },
  "CLOSE-1": {
    title: "says STORE_CLOSED from every method after close",
    because: "A store that is half closed loses work without a word.",
    async check(scene) {
      const calls = Object.entries(await everyCall(scene));
      await scene.store.close();
      for (const [method, call] of calls) await expectCode(call(), ["STORE_CLOSED"], method);
    },
  },
  "CLOSE-2": {
    title: "gives up its leases when it closes",
    because: "A server that restarts in good order continues at once.",
    needs: "second",
    async check(scene) {
      const second = await scene.another("second");
      const ids = [(await scene.create()).record.id, (await scene.create()).record.id];
      for (const [index, id] of ids.entries()) {
        await scene.commit(await scene.lease(id, { worker: `worker-${index}` }), [checkpoint(1)]);
      }
      await scene.store.close();
      for (const id of ids) {
        const next = await scene.lease(id, { store: second, worker: "worker-b" });
        expectEqual((await scene.commit(next, [checkpoint(2)], { store: second })).record.lastSeq, 3, "lastSeq");
      }
    },
  },
  "CLOSE-3": {
    title: "closes twice without an error",
    because: "Several parts of a program may end it.",
    async check({ store }) {
      await Promise.all([store.close(), store.close()]);
      await store.close();
    },
  },
  "HEALTH-1": {
    title: "says that it is well while calls succeed",
    because: "A probe that fails takes a server out of service that could work.",
    async check(scene) {
      await scene.store.checkHealth?.();
      await scene.create();
      await scene.store.checkHealth?.();
    },
  },
  "CONTRACT-1": {
    title: `declares contractVersion ${contractVersion}`,
    because: "An engine refuses a store whose contract it does not know.",
    async check({ store }) {
      expectEqual(store.contractVersion, contractVersion, "contractVersion");
    },
  },
  "CAP-1": {
    title: "declares only capabilities that this run verifies",
    because: "A capability without a test is a hope.",
    async check({ store, can }) {
      const { durability, shared } = store.capabilities;
      expectThat(["none", "process", "machine"].includes(durability), `durability ${durability} is a known level`);
      const isTested = durability === "none" || can("reopen");
      expectThat(isTested, `durability ${durability} is tested by the harness's reopen()`);
      expectThat(!shared || (can("second") && can("far")), "shared is tested by the harness's second() and far()");
    },
  },
});
