import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Measure } from "../report/measure.js";

/** What the process that is measured is asked to do, and answers. */
export interface MemoryOrder {
  readonly finished: number;
  readonly eventsEach: number;
}

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
      subject: () => memoryOf(many),
      peer: () => memoryOf(few),
      dispose: async () => {},
    }),
  };
}

/** Runs the work in a process of its own and resolves to the MiB in use after a collection. */
function memoryOf(order: MemoryOrder): Promise<number> {
  const script = fileURLToPath(new URL("workers/memory-worker.js", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(script, [JSON.stringify(order)], { execArgv: ["--expose-gc"], stdio: "inherit" });
    let figure: number | undefined;
    child.on("message", (message) => {
      if (typeof message === "number") figure = message;
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0 && figure !== undefined) resolve(figure);
      else reject(new Error(`The measured process ended with code ${code} and no figure.`));
    });
  });
}
