import { createPostgresStore } from "@resumable-mcp/store-postgres";
import type { Measure, Scope } from "../report/measure.js";
import { beginTask, checkpoints, now, someTask } from "../stores/stored-tasks.js";
import { type CountingProxy, countingProxy } from "./counting-proxy.js";
import { newDatabase } from "./database.js";
import { startReplica } from "./replica.js";

const count = 20;

/** Round trips of one call: the mean of some, one after the other. An idle connection is closed: another call goes before. */
async function counted(proxy: CountingProxy, calls: number, work: () => Promise<unknown>): Promise<number> {
  const before = proxy.roundTrips();
  await work();
  return (proxy.roundTrips() - before) / calls;
}

/** A store behind a proxy that counts, with a connection that is open for each kind of statement. */
async function countedStore(scope: Scope) {
  const proxy = await countingProxy(scope, await newDatabase(scope));
  // Notifications are sent outside of calls. What is counted waits for one call after the other: it needs one connection of each kind.
  const limits = { notifyPauseMs: 3_600_000, maxWriters: 1, maxConnections: 1 };
  const store = createPostgresStore({ connectionString: proxy.url, limits });
  scope.onEnd(() => store.close());
  const task = await beginTask(store);
  return { proxy, store, task };
}

/** Of a fenced checkpoint, against a step of DBOS. */
const checkpoint: Measure = {
  id: "postgres-round-trips-checkpoint",
  title: "Round trips of a checkpoint",
  subject: "store-postgres",
  peer: "a step of DBOS",
  unit: "round trips",
  target: { atMost: 1 },
  judges: "figure",
  async prepare(scope) {
    const { proxy, store, task } = await countedStore(scope);
    let seq = task.lastSeq;
    const peer = await countingProxy(scope, await newDatabase(scope));
    const dbos = await startReplica(scope, "dbos", { url: peer.url, name: "a" });
    const ofSteps = (each: number) => counted(peer, 1, () => dbos.run({ tasks: 1, each }));
    return {
      async subject() {
        const make = async (checkpointsMade: number) => {
          seq = await checkpoints(store, task.lease, seq, checkpointsMade);
        };
        await make(1);
        return counted(proxy, count, () => make(count));
      },
      // Without what a workflow costs in addition to its steps.
      peer: async () => ((await ofSteps(2 * count)) - (await ofSteps(count))) / count,
    };
  },
};

/** Of a call that joins the task of an earlier one; what makes a task needs fewer. */
const start: Measure = {
  id: "postgres-round-trips-start",
  title: "Round trips of a start that joins its task (of one that makes it: 1)",
  subject: "store-postgres",
  peer: "a workflow of DBOS without steps, from start to end",
  unit: "round trips",
  target: { atMost: 2 },
  judges: "figure",
  async prepare(scope) {
    const { proxy, store } = await countedStore(scope);
    const startTask = (task = someTask()) => store.createTask({ task, reuseResultMs: 0, now: now() });
    const made = await counted(proxy, 1, () => startTask());
    if (made !== 1) throw new Error(`A start that makes its task took ${made} round trips.`);
    const peer = await countingProxy(scope, await newDatabase(scope));
    const dbos = await startReplica(scope, "dbos", { url: peer.url, name: "a" });
    return {
      async subject() {
        const task = someTask();
        await startTask(task);
        return counted(proxy, 1, () => startTask({ ...task, id: `${task.id}-again` }));
      },
      peer: () => counted(peer, 1, () => dbos.run({ tasks: 1, each: 0 })),
    };
  },
};

/** Of a lease that is taken; the same answer brings the task's record. */
const lease: Measure = {
  id: "postgres-round-trips-lease",
  title: "Round trips of a lease, with the task's record",
  subject: "store-postgres",
  peer: "the limit",
  unit: "round trips",
  target: { atMost: 1 },
  judges: "figure",
  async prepare(scope) {
    const { proxy, store, task } = await countedStore(scope);
    const { taskId } = task.lease;
    await store.releaseLease(task.lease);
    return {
      async subject() {
        let taken: Awaited<ReturnType<typeof store.acquireLease>>;
        await store.getTask(taskId);
        const figure = await counted(proxy, 1, async () => {
          taken = await store.acquireLease({ taskId, worker: "bench", ttlMs: 60_000, now: now() });
        });
        if (taken === undefined) throw new Error("The lease was free.");
        await store.releaseLease(taken.lease);
        return figure;
      },
      peer: async () => 1,
    };
  },
};

/** How often a call waits for the server: counted, not timed. */
export const roundTrips: readonly Measure[] = [checkpoint, start, lease];
