import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

/** Appends every record's index once, in order; with steps and log lines in between, at an uneven pace. */
export const stormTool = defineTool({
  name: "storm_count",
  title: "Count in a storm",
  description: "Appends the index of each record.",
  input: z.object({ run: z.string(), records: z.number().int().positive(), batch: z.number().int().positive() }),
  output: z.object({ records: z.number(), sum: z.number() }),
  state: { at: 0, sum: 0 },
  item: z.object({ run: z.string(), index: z.number() }),
  async *run({ run, records, batch }, task) {
    let { at, sum } = task.state;
    while (at < records) {
      const from = at;
      if (from % (batch * 10) === 0) {
        const half = await task.step(`half-${from}`, async () => from / 2);
        task.log("info", `record ${from}, half of it is ${half}`);
      }
      if (from % (batch * 3) === 0) await pause(from % 7);
      else await nextTurn();
      at = Math.min(records, from + batch);
      const append = Array.from({ length: at - from }, (_, offset) => ({ run, index: from + offset }));
      for (const { index } of append) sum += index;
      yield { progress: at, total: records, state: { at, sum }, append, message: `Processed ${at}/${records} records` };
    }
    return { records, sum };
  },
});
