import { setTimeout as delay } from "node:timers/promises";
import { createEngine, defineTool } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { z } from "zod";

/** Opens a store, and tells after how many milliseconds the first of its unfinished tasks runs. */
const begun = performance.now();
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

const store = createFsStore({ directory: process.argv[2] ?? "" });
const engine = createEngine({ store, tools: [tool], limits: { recoverAfterMs: 0 } });
await engine.open();
const figure = await first;
await engine.close();
process.send?.(figure, () => process.exit(0));
