import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const lookMs = 20;

/** Counts to 40, and from 10, 20 and 30 on only when the folder has a file of that name. */
const countGated = defineTool({
  name: "count_gated",
  description: "Counts to 40.",
  input: z.object({ gates: z.string(), client: z.string() }),
  state: { at: 0 },
  async *run({ gates }, task) {
    for (let { at } = task.state; at < 40; at += 1) {
      while (at > 0 && at % 10 === 0 && !existsSync(join(gates, String(at)))) {
        await sleep(lookMs, undefined, { signal: task.signal });
      }
      await sleep(lookMs, undefined, { signal: task.signal });
      yield { progress: at + 1, total: 40, state: { at: at + 1 }, append: [at + 1], message: `Counted ${at + 1}/40` };
    }
    return { counted: 40 };
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [countGated];
