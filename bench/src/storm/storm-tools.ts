import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { defineTool, type Tool } from "@resumable-mcp/core";
import type { PlannedFacts } from "@resumable-mcp/simulation/history";
import { z } from "zod";
import type { Note } from "../kills/storm-history.js";

/** Appends every record's index once, in order; with steps and log lines in between, at an uneven pace. */
export const stormTool = (note: Note): Tool =>
  defineTool({
    name: "storm_count",
    title: "Count in a storm",
    description: "Appends the index of each record.",
    input: z.object({ run: z.string(), records: z.number().int().positive(), batch: z.number().int().positive() }),
    output: z.object({ records: z.number(), sum: z.number() }),
    state: { at: 0, sum: 0 },
    item: z.number(),
    async *run({ records, batch }, task) {
      let { at: from, sum } = task.state;
      const facts = { task: task.id, attempt: task.attempt };
      let items = 0;
      for await (const item of task.items()) {
        if (item !== items) note("item_read", { ...facts, place: items, item });
        items += 1;
      }
      note("attempt", { ...facts, at: from, items });
      while (from < records) {
        const progress = Math.min(records, from + batch);
        const at = progress - 1;
        note("begins", { ...facts, at });
        if (from % (batch * 10) === 0) {
          const half = await task.step(`half-${from}`, async () => {
            note("step_runs", { ...facts, at });
            return from / 2;
          });
          note("step_done", { ...facts, at });
          task.log("info", `record ${from}, half of it is ${half}`);
        }
        if (from % (batch * 3) === 0) await pause(from % 7);
        else await nextTurn();
        const append = Array.from({ length: progress - from }, (_, offset) => from + offset);
        for (const index of append) sum += index;
        const message = `Processed ${progress}/${records} records`;
        yield { progress, total: records, state: { at: progress, sum }, append, message };
        note("committed", { ...facts, at, progress });
        from = progress;
      }
      note("returns", facts);
      return { records, sum };
    },
  });

/** A call of {@link stormTool}, and what its completed task has. */
export function countedCall(
  run: string,
  owner: string,
  { records, batch }: { readonly records: number; readonly batch: number },
): PlannedFacts {
  const expects = { output: { records, sum: (records * (records - 1)) / 2 }, items: records };
  return { name: run, owner, via: "2025", input: { run, records, batch }, callId: run, expects };
}

/** Asks once and ends with the answer. */
const askTool = (note: Note): Tool =>
  defineTool({
    name: "storm_ask",
    description: "Waits for its user's answer.",
    input: z.object({ run: z.string() }),
    async *run({ run }, task) {
      const schema = z.object({ word: z.string() });
      const answer = await task.ask("ask-0", { message: `What is the word of ${run}?`, schema });
      const word = answer.action === "accept" ? answer.content.word : undefined;
      note("answered", { task: task.id, attempt: task.attempt, at: 0, action: answer.action, word });
      yield { progress: 1, total: 1 };
      return word ?? null;
    },
  });

/** Sleeps again and again, in place and without a slot, with a checkpoint after each sleep. */
const napTool = (note: Note): Tool =>
  defineTool({
    name: "storm_nap",
    description: "Sleeps for the given times, one after the other.",
    input: z.object({ run: z.string(), program: z.array(z.object({ ms: z.number() })) }),
    state: { at: 0 },
    async *run({ program }, task) {
      for (const [at, { ms }] of program.entries()) {
        if (at < task.state.at) continue;
        const facts = { task: task.id, attempt: task.attempt, at };
        note("begins", { ...facts, op: "sleep" });
        await task.sleep(`nap-${at}`, ms);
        note("slept", facts);
        yield { progress: at + 1, total: program.length, state: { at: at + 1 } };
      }
      return program.length;
    },
  });

/** Works steadily, with a checkpoint for each piece of work. */
const workTool = (note: Note): Tool =>
  defineTool({
    name: "storm_work",
    description: "Works for a number of steps.",
    input: z.object({ run: z.string(), steps: z.number().int(), stepMs: z.number() }),
    state: { at: 0 },
    item: z.number(),
    async *run({ steps, stepMs }, task) {
      for (let { at } = task.state; at < steps; at++) {
        const facts = { task: task.id, attempt: task.attempt, at };
        note("begins", facts);
        yield { progress: at + 1, total: steps, state: { at: at + 1 }, append: [at] };
        note("committed", { ...facts, progress: at + 1 });
        await pause(stepMs);
      }
      return steps;
    },
  });

/** A short call, which has nothing to do with the rest. */
const shortTool = defineTool({
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
export const waitingTools = (note: Note): readonly Tool[] => [askTool(note), napTool(note), workTool(note), shortTool];
