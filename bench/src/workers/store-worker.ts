import { setTimeout as delay } from "node:timers/promises";
import { createEngine, defineTool, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { z } from "zod";
import { now, temporaryFolder } from "../stores/stored-tasks.js";
import type { MemoryOrder, StoreJob } from "./run-isolated.js";

const begun = performance.now();

/** Opens a store, and gives the milliseconds until the first of its unfinished tasks runs. */
async function open(directory: string): Promise<number> {
  let runs = (_ms: number) => {};
  const first = new Promise<number>((resolve) => {
    runs = resolve;
  });
  const tool = defineTool({
    name: "bench",
    version: "1",
    description: "Runs until it is stopped.",
    input: z.object({ n: z.number() }),
    state: { line: 0 },
    async *run(_input, task) {
      runs(performance.now() - begun);
      for (let line = task.state.line + 1; ; line++) {
        yield { progress: 1e6, state: { line } };
        await delay(10);
      }
    },
  });
  const store = createFsStore({ directory });
  const engine = createEngine({ store, tools: [tool], limits: { recoverAfterMs: 0 } });
  await engine.open();
  const figure = await first;
  await engine.close();
  return figure;
}

/** Opens a store, takes its unfinished task over, and gives the milliseconds that this took. */
async function resume(directory: string): Promise<number> {
  const store = createFsStore({ directory });
  const { tasks } = await store.listRunnable({ tools: ["bench"], limit: 1, now: now() });
  const taskId = tasks[0]?.id ?? "";
  const acquired = await store.acquireLease({ taskId, worker: "bench", ttlMs: 60_000, now: now() });
  if (acquired?.snapshot.record.state === undefined) throw new Error("The task has no state.");
  const figure = performance.now() - begun;
  await store.close();
  return figure;
}

/** Opens a store, lists and counts its tasks, and gives the MiB that the process has in use afterwards. */
async function memoryOfStored(directory: string): Promise<number> {
  const store = createFsStore({ directory });
  const engine = createEngine({ store, tools: [] });
  await engine.open();
  await store.countTasks({});
  await store.listTasks({ limit: 100 });
  await store.listExpired({ now: now(), limit: 1_000 });
  await store.listRunnable({ tools: ["bench"], limit: 200, now: now() });
  collectGarbage();
  const { rss } = process.memoryUsage();
  await engine.close();
  return rss / 2 ** 20;
}

/** Runs tasks in a new store, and gives the MiB of heap and buffers in use afterwards. */
async function memoryOfFinished(text: string): Promise<number> {
  const order: MemoryOrder = JSON.parse(text);
  const emit = defineTool({
    name: "emit",
    description: "Makes checkpoints.",
    input: z.object({ run: z.number(), events: z.number() }),
    state: { at: 0 },
    async *run({ events }, task) {
      for (let at = task.state.at + 1; at <= events; at++) {
        yield { progress: at, total: events, state: { at }, append: [`item ${at} of task ${task.id}`] };
      }
      return events;
    },
  });
  const folder = await temporaryFolder();
  const store = createFsStore({ directory: folder.directory, durability: "process" });
  const engine = createEngine({ store, tools: [emit] });
  const tasks = engine.forOwner("local:bench");
  const runOne = async (run: number) => {
    const { record } = await tasks.start({ tool: "emit", input: { run, events: order.eventsEach } });
    for await (const _event of tasks.follow(record.id)) {
      // Delivered: nothing may stay behind.
    }
    await tasks.markDelivered(record.id);
  };
  const atOnce = 20;
  for (let first = 0; first < order.finished; first += atOnce) {
    await Promise.all(
      Array.from({ length: Math.min(atOnce, order.finished - first) }, (_, index) => runOne(first + index)),
    );
  }
  collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  await engine.close();
  await folder.remove();
  return (heapUsed + external + arrayBuffers) / 2 ** 20;
}

/** An engine without a tool does not look for work. */
const neverRun = defineTool({
  name: "bench",
  description: "Is not called.",
  input: z.object({ n: z.number() }),
  run: async () => null,
});

/** Does something several times with a store whose engine is open. @returns the milliseconds of processor time for each time. */
function whenOpen(times: number, work: (store: Store) => Promise<unknown>): (directory: string) => Promise<number> {
  return async (directory) => {
    const store = createFsStore({ directory });
    const engine = createEngine({ store, tools: [neverRun] });
    await engine.open();
    await work(store);
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) await work(store);
    const { user, system } = process.cpuUsage(before);
    await engine.close();
    return (user + system) / 1_000 / times;
  };
}

/** Opens an engine. @returns the milliseconds of processor time. */
async function start(directory: string): Promise<number> {
  const before = process.cpuUsage();
  const engine = createEngine({ store: createFsStore({ directory }), tools: [neverRun] });
  await engine.open();
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  return (user + system) / 1_000;
}

function collectGarbage(): void {
  for (let pass = 0; pass < 3; pass++) globalThis.gc?.();
}

const jobs: Readonly<Record<StoreJob, (argument: string) => Promise<number>>> = {
  open,
  resume,
  "memory-of-stored": memoryOfStored,
  "memory-of-finished": memoryOfFinished,
  start,
  idle: whenOpen(5, () => delay(1_000)),
  list: whenOpen(20, (store) => store.listTasks({ limit: 20 })),
  count: whenOpen(20, (store) => store.countTasks({})),
};

const [job = "", argument = ""] = process.argv.slice(2);
const figure = await jobs[job as StoreJob](argument);
process.send?.(figure, () => process.exit(0));
