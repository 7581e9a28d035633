import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { defineTool, type Tool } from "@resumable-mcp/core";
import type { PlannedFacts } from "@resumable-mcp/simulation/history";
import { z } from "zod";
import { createRandom } from "../kills/kill-plan.js";
import type { Note } from "../kills/storm-history.js";

const operation = z.object({ op: z.enum(["work", "step", "sleep", "ask"]), ms: z.number() });
const jobInput = z.object({ run: z.string(), program: z.array(operation) });
type Operation = z.infer<typeof operation>;

/** What a call gives to {@link jobTool}. */
export type Job = z.infer<typeof jobInput>;

export const jobToolName = "storm_job";

/** What runs do: how many operations, of which kinds, and how long these take. */
interface JobKind {
  readonly operations: readonly [Operation["op"], ...Operation["op"][]];
  readonly ms: readonly [low: number, high: number];
  readonly length: readonly [low: number, high: number];
}

/** As callers have them. */
export const anyJob: JobKind = {
  operations: ["work", "work", "work", "work", "step", "sleep", "ask"],
  ms: [50, 300],
  length: [8, 30],
};

/** One commit after the other. */
export const busyJob: JobKind = {
  operations: ["work", "work", "work", "work", "work", "work", "work", "work", "work", "step"],
  ms: [0, 6],
  length: [10, 50],
};

/** Draws what a run does: the same for the same seed, in every process. */
export function drawJob(run: string, seed: number, { operations, ms, length }: JobKind): Job {
  const random = createRandom(createHash("sha256").update(`${seed}/${run}`).digest().readUInt32LE());
  const draw = (): Operation => {
    const op = random.pick(operations);
    return { op, ms: op === "sleep" ? random.between(100, 2_000) : random.between(...ms) };
  };
  return { run, program: Array.from({ length: random.between(...length) }, draw) };
}

/** The call of a job, and what its completed task has. */
export function jobCall(input: Job, owner: string): PlannedFacts {
  const done = input.program.length;
  return {
    name: input.run,
    owner,
    via: "client",
    input,
    callId: undefined,
    expects: { output: { done }, items: done },
  };
}

/** Does what its input says, one operation after the other, with a checkpoint and an item for each. */
export const jobTool = (note: Note): Tool =>
  defineTool({
    name: jobToolName,
    description: "Works, computes, sleeps and asks.",
    input: jobInput,
    output: z.object({ done: z.number() }),
    state: { at: 0 },
    item: z.number(),
    async *run({ run, program }, task) {
      const facts = { task: task.id, attempt: task.attempt };
      let items = 0;
      for await (const item of task.items()) {
        if (item !== items) note("item_read", { ...facts, place: items, item });
        items += 1;
      }
      const { at: from } = task.state;
      note("attempt", { ...facts, at: from, items });
      try {
        for (const [at, { op, ms }] of program.entries()) {
          if (at < from) continue;
          note("begins", { ...facts, at, op });
          if (op === "work") await pause(ms, undefined, { signal: task.signal });
          if (op === "sleep") {
            await task.sleep(`sleep-${at}`, ms);
            note("slept", { ...facts, at });
          }
          if (op === "step") {
            const key = `step-${at}`;
            const value = await task.step(key, async () => {
              note("step_runs", { ...facts, key });
              await pause(ms);
              return randomUUID();
            });
            note("step_done", { ...facts, key, value });
          }
          if (op === "ask") {
            const schema = z.object({ word: z.string() });
            const answer = await task.ask(`ask-${at}`, { message: questionOf(run, at), schema });
            const word = answer.action === "accept" ? answer.content.word : undefined;
            note("answered", { ...facts, at, action: answer.action, word });
          }
          yield { progress: at + 1, total: program.length, state: { at: at + 1 }, append: [at] };
          note("committed", { ...facts, at, progress: at + 1 });
        }
        note("returns", facts);
        return { done: program.length };
      } finally {
        note("leaves", facts);
      }
    },
  });

const questionOf = (run: string, at: number): string => `What is the word of ${run} at ${at}?`;

/** The one right answer to a question, by what it asks. */
export function wordFor(question: string): string {
  return question.replace(/^What is the word of (\S+) at (\d+)\?$/, "$1/$2");
}
