import { createFsStore } from "@resumable-mcp/store-fs";
import { type Measure, timePer } from "../report/measure.js";
import { fillStore } from "../stores/large-store.js";
import { beginTask, checkpoints, sharedFolder } from "../stores/stored-tasks.js";
import { doWithStore, type MemoryOrder, type StoreJob } from "../workers/run-isolated.js";

const many = 100_000;
const unfinished = 100;

const storeOf = (finished: number) =>
  sharedFolder(`${finished}-tasks`, (directory) => fillStore(directory, { finished, unfinished }));

/** Checkpoints of one task in a store with many stored tasks, against a store with few. */
export const storedTasks: Measure = {
  id: "checkpoint-by-stored-tasks",
  title: "One checkpoint, `process`, 100,000 stored tasks",
  subject: "100,000 stored",
  peer: "100 stored",
  unit: "ms",
  target: { atMost: 1.2 },
  rounds: 31,
  async prepare(scope) {
    const large = createFsStore({ directory: await storeOf(many), durability: "process" });
    const small = createFsStore({ directory: await storeOf(100), durability: "process" });
    scope.onEnd(() => Promise.all([large.close(), small.close()]));
    const round = async (store: typeof large) => {
      const { lease, lastSeq } = await beginTask(store);
      const cost = await timePer(500, () => checkpoints(store, lease, lastSeq, 500));
      await store.releaseLease(lease);
      return cost;
    };
    return { subject: () => round(large), peer: () => round(small) };
  },
};

/** From opening a store in a new process until the first task that a dead process left runs again. */
export const opening: Measure = {
  id: "open",
  title: "Opening a store with 100,000 finished and 100 unfinished tasks, until the first resumed task runs",
  subject: "100,000 finished",
  peer: "100 finished",
  unit: "ms",
  target: { atMost: 500 },
  judges: "figure",
  async prepare() {
    const [large, small] = [await storeOf(many), await storeOf(100)];
    return { subject: () => doWithStore("open", large), peer: () => doWithStore("open", small) };
  },
};

/** A store with many tasks, finished and waiting, against an empty one. */
function inFullStore(job: StoreJob, title: string, unit: string, atMost: number): Measure {
  return {
    id: `full-store-${job}`,
    title: `${title}, 100,000 finished and 10,000 waiting tasks`,
    subject: "110,000 tasks",
    peer: "none",
    unit,
    target: { atMost },
    judges: "figure",
    async prepare() {
      const full = await sharedFolder("full-store", (directory) =>
        fillStore(directory, { finished: many, waiting: many / 10 }),
      );
      const none = await sharedFolder("no-tasks", async () => {});
      // The first process that opens the store reads all of it, and writes down what it knows.
      await doWithStore("start", full);
      return { subject: () => doWithStore(job, full), peer: () => doWithStore(job, none) };
    },
  };
}

/** What lists, counts, starts and waiting for work cost in processor time. */
export const fullStore: readonly Measure[] = [
  inFullStore("start", "Starting an engine", "ms", 1_000),
  inFullStore("idle", "An engine that waits for work", "ms/s", 10),
  inFullStore("list", "One list of 20", "ms", 20),
  inFullStore("count", "Counting by status", "ms", 50),
];

/** What a server that opened, listed and counted holds in memory more when many finished tasks are stored. */
export const storedMemory: Measure = {
  id: "memory-by-stored-tasks",
  title: "Memory of a process that opened, listed and counted 100,000 finished tasks",
  subject: "100,000 stored",
  peer: "none stored",
  unit: "MiB",
  target: { atMost: 20 },
  judges: "difference",
  async prepare() {
    const large = await storeOf(many);
    const none = await sharedFolder("no-tasks", async () => {});
    return { subject: () => doWithStore("memory-of-stored", large), peer: () => doWithStore("memory-of-stored", none) };
  },
};

/** Heap and buffers of a server after many finished tasks and delivered events, against few. */
export function memoryMeasure(many: MemoryOrder, few: MemoryOrder): Measure {
  const describe = (order: MemoryOrder): string => `${order.finished} tasks × ${order.eventsEach} events`;
  return {
    id: "memory-by-finished-tasks",
    title: `Memory of an engine that ran ${describe(many)} against ${describe(few)}`,
    subject: describe(many),
    peer: describe(few),
    unit: "MiB",
    target: { atMost: 1.2 },
    rounds: 15,
    prepare: async () => ({
      subject: () => doWithStore("memory-of-finished", JSON.stringify(many)),
      peer: () => doWithStore("memory-of-finished", JSON.stringify(few)),
    }),
  };
}
