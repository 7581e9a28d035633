import type { Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { type Measure, timePer } from "../measure.js";
import { beginTask, checkpoints, finishTasks, temporaryFolder } from "../stored-tasks.js";

/** Checkpoints of one task in a store with many stored tasks, against a store with few. */
export function storedTasksMeasure(many: number, few: number): Measure {
  return {
    id: "checkpoint-by-stored-tasks",
    title: `One checkpoint, ${many} stored tasks against ${few}`,
    subject: `${many} stored`,
    peer: `${few} stored`,
    unit: "ms",
    target: { atMost: 1.3 },
    rounds: 31,
    async prepare() {
      const [large, small] = [await storeWith(many), await storeWith(few)];
      return {
        subject: () => largeRound(large.store),
        peer: () => largeRound(small.store),
        dispose: async () => {
          await large.dispose();
          await small.dispose();
        },
      };
    },
  };
}

async function largeRound(store: Store): Promise<number> {
  const { lease, lastSeq } = await beginTask(store);
  const count = 100;
  const cost = await timePer(count, () => checkpoints(store, lease, lastSeq, count));
  await store.releaseLease(lease);
  return cost;
}

/** Late checkpoints of one task against early ones of another. */
export function taskLengthMeasure(late: number): Measure {
  return {
    id: "checkpoint-by-task-length",
    title: `Checkpoint ${late} of a task against checkpoint 10`,
    subject: `from ${late} on`,
    peer: "from 10 on",
    unit: "ms",
    target: { atMost: 1.3 },
    rounds: 31,
    async prepare() {
      const folder = await temporaryFolder();
      const store = createFsStore({ directory: folder.directory, durability: "process" });
      const long = await beginTask(store);
      let seq = await checkpoints(store, long.lease, long.lastSeq, late);
      const count = 200;
      return {
        subject: async () => {
          let end = seq;
          const cost = await timePer(count, async () => {
            end = await checkpoints(store, long.lease, seq, count);
          });
          seq = end;
          return cost;
        },
        peer: async () => {
          const fresh = await beginTask(store);
          const begun = await checkpoints(store, fresh.lease, fresh.lastSeq, 10);
          const cost = await timePer(count, () => checkpoints(store, fresh.lease, begun, count));
          await store.releaseLease(fresh.lease);
          return cost;
        },
        dispose: async () => {
          await store.close();
          await folder.remove();
        },
      };
    },
  };
}

/** Opening a store until its first task can be begun, with many and with few finished tasks. */
export function openingMeasure(many: number, few: number): Measure {
  return {
    id: "open-by-finished-tasks",
    title: `Opening a store, ${many} finished tasks against ${few}`,
    subject: `${many} finished`,
    peer: `${few} finished`,
    unit: "ms",
    target: { atMost: 1.5 },
    rounds: 31,
    async prepare() {
      const [large, small] = [await storeWith(many), await storeWith(few)];
      await Promise.all([large.store.close(), small.store.close()]);
      return {
        subject: () => openOnce(large.directory),
        peer: () => openOnce(small.directory),
        dispose: async () => {
          await large.dispose();
          await small.dispose();
        },
      };
    },
  };
}

async function openOnce(directory: string): Promise<number> {
  let store: Store | undefined;
  const cost = await timePer(1, async () => {
    store = createFsStore({ directory });
    await store.heartbeat({ worker: "bench", now: { wallMs: Date.now(), monotonicMs: performance.now() } });
    await store.listRunnable({
      tools: ["bench"],
      recover: "all",
      limit: 100,
      now: { wallMs: Date.now(), monotonicMs: performance.now() },
    });
  });
  await store?.close();
  return cost;
}

async function storeWith(finished: number): Promise<{ store: Store; directory: string; dispose: () => Promise<void> }> {
  const folder = await temporaryFolder();
  const filling = createFsStore({ directory: folder.directory, durability: "process" });
  await finishTasks(filling, finished);
  await filling.close();
  const store = createFsStore({ directory: folder.directory });
  return {
    store,
    directory: folder.directory,
    dispose: async () => {
      await store.close();
      await folder.remove();
    },
  };
}
