import { createEngine, defineTool } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { z } from "zod";
import type { MemoryOrder } from "../measures/memory.js";
import { temporaryFolder } from "../stores/stored-tasks.js";

const order: MemoryOrder = JSON.parse(process.argv[2] ?? "{}");

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
const engine = createEngine({
  store: createFsStore({ directory: folder.directory, durability: "process" }),
  tools: [emit],
});
const tasks = engine.forOwner("local:bench");
const atOnce = 20;
for (let begun = 0; begun < order.finished; begun += atOnce) {
  const runs = Array.from({ length: Math.min(atOnce, order.finished - begun) }, (_, index) => begun + index);
  await Promise.all(
    runs.map(async (run) => {
      const { record } = await tasks.start({ tool: "emit", input: { run, events: order.eventsEach } });
      for await (const _event of tasks.follow(record.id)) {
        // Delivered: nothing may stay behind.
      }
      await tasks.markDelivered(record.id);
    }),
  );
}
const gc: unknown = Reflect.get(globalThis, "gc");
if (typeof gc === "function") for (let pass = 0; pass < 3; pass++) gc();
const { heapUsed, external, arrayBuffers } = process.memoryUsage();
process.send?.((heapUsed + external + arrayBuffers) / 2 ** 20);
await engine.close();
await folder.remove();
