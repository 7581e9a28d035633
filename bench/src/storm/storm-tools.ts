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

/** Asks once and ends with the answer. */
export const askTool = defineTool({
  name: "storm_ask",
  description: "Waits for its user's answer.",
  input: z.object({ run: z.string() }),
  async *run({ run }, task) {
    const { action } = await task.ask("go", { message: `Go on with ${run}?`, schema: z.object({}) });
    yield { progress: 1, total: 1 };
    return action;
  },
});

/** Sleeps again and again, in place and without a slot, with a checkpoint after each sleep. */
export const napTool = defineTool({
  name: "storm_nap",
  description: "Sleeps for the given times, one after the other.",
  input: z.object({ run: z.string(), naps: z.array(z.number()) }),
  state: { at: 0 },
  async *run({ naps }, task) {
    for (let at = task.state.at; at < naps.length; at++) {
      await task.sleep(`nap-${at}`, naps[at] ?? 0);
      yield { progress: at + 1, total: naps.length, state: { at: at + 1 } };
    }
    return naps.length;
  },
});

/** Works steadily, with a checkpoint for each piece of work. */
export const workTool = defineTool({
  name: "storm_work",
  description: "Works for a number of steps.",
  input: z.object({ run: z.string(), steps: z.number().int(), stepMs: z.number() }),
  state: { at: 0 },
  item: z.number(),
  async *run({ steps, stepMs }, task) {
    for (let at = task.state.at; at < steps; at++) {
      yield { progress: at + 1, total: steps, state: { at: at + 1 }, append: [at] };
      await pause(stepMs);
    }
    return steps;
  },
});

/** A short call, which has nothing to do with the rest. */
export const shortTool = defineTool({
  name: "storm_short",
  description: "Answers after 30 ms.",
  input: z.object({ run: z.string() }),
  async *run({ run }) {
    await pause(30);
    yield { progress: 1, total: 1 };
    return run;
  },
});

/** The tools of the storm with waiting tasks. */
export const waitingTools = [askTool, napTool, workTool, shortTool];
