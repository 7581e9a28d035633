// Tools for callers with little patience, and one that kills its server.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const lookEveryMs = 10;

/** Counts as long as it takes; answers callers with a time limit early. */
const countTo = defineTool({
  name: "count_to",
  description: "Counts to a number, a little slowly.",
  input: z.object({ n: z.number().int().positive(), pace_ms: z.number().default(20) }),
  output: z.object({ counted: z.number() }),
  state: { at: 0 },
  handoffAfter: 100,
  async *run({ n, pace_ms }, task) {
    for (let at = task.state.at + 1; at <= n; at++) {
      await sleep(pace_ms, undefined, { signal: task.signal });
      yield { progress: at, total: n, state: { at }, append: [at] };
    }
    return { counted: n };
  },
});

const quarters = 4;

/** Takes four times as long as any caller waits: it continues after each quarter only when that quarter's file exists. */
const countInQuarters = defineTool({
  name: "count_in_quarters",
  description: "Counts to a number, and stands still at each quarter of it.",
  input: z.object({ n: z.number().int().positive(), gates: z.string() }),
  output: z.object({ counted: z.number() }),
  state: { at: 0 },
  async *run({ n, gates }, task) {
    for (let at = task.state.at + 1; at <= n; at++) {
      yield { progress: at, total: n, state: { at }, append: [at] };
      const gate = join(gates, `quarter-${(at * quarters) / n}`);
      const standsStill = (at * quarters) % n === 0;
      while (standsStill && !existsSync(gate)) await sleep(lookEveryMs, undefined, { signal: task.signal });
    }
    return { counted: n };
  },
});

const abort = defineTool({
  name: "abort",
  description: "Kills its server as soon as a file is there.",
  input: z.object({ gate: z.string() }),
  state: {},
  // biome-ignore lint/correctness/useYield: it dies before its first checkpoint.
  async *run({ gate }, task) {
    while (!existsSync(gate)) await sleep(lookEveryMs, undefined, { signal: task.signal });
    process.abort();
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [countTo, countInQuarters, abort];
