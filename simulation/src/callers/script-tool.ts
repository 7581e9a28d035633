import { defineTool, RetryableError, type StandardSchema, TerminalError, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import type { History } from "../history/history.js";
import type { Worker } from "../machine/worker.js";

/** One thing that a scripted tool does before its next checkpoint. */
export const operationSchema = z.discriminatedUnion("op", [
  z.object({ op: z.literal("work"), ms: z.number() }),
  /** Ignores its signal. */
  z.object({ op: z.literal("stubborn"), ms: z.number() }),
  z.object({ op: z.literal("step") }),
  z.object({ op: z.literal("ask"), timeoutMs: z.number().optional() }),
  z.object({ op: z.literal("sleep"), ms: z.number() }),
  /** Fails so many times, then works. */
  z.object({ op: z.literal("fail"), times: z.number() }),
  z.object({ op: z.literal("give_up") }),
  /** Kills its process each time. */
  z.object({ op: z.literal("poison") }),
]);

export type Operation = z.infer<typeof operationSchema>;

const input = asJsonSchemaOnce(z.object({ run: z.string(), program: z.array(operationSchema) }));
const answerSchema = asJsonSchemaOnce(z.object({ word: z.string() }));

/** Converts a schema to JSON Schema once, not for each process: there are hundreds in a run. */
function asJsonSchemaOnce<Input, Output>(
  schema: StandardSchema<Input, Output> & z.ZodType,
): StandardSchema<Input, Output> {
  const converted = { ...z.toJSONSchema(schema) };
  return { "~standard": { ...schema["~standard"], jsonSchema: { input: () => converted, output: () => converted } } };
}

/** How often each failing operation has failed: the outside world keeps count, whatever happens to the processes. */
export type Failures = Map<string, number>;

/** What a tool of a worker reports to. */
export interface ToolWitness {
  readonly history: History;
  readonly failures: Failures;
  readonly worker: Worker;
}

type Note = (kind: string, facts: { readonly [name: string]: string | number | undefined }) => void;

/**
 * A tool that does what its input says, one operation after the other, with a checkpoint after each, and reports
 * everything that it does to the history.
 */
export function scriptTool(witness: ToolWitness): Tool {
  const { history, worker } = witness;
  const note: Note = (kind, facts) => {
    if (worker.isAlive) history.add(kind, { worker: worker.actor.name, ...facts });
  };
  return defineTool({
    name: "script",
    description: "Does what its input says.",
    input,
    state: { at: 0 },
    item: z.number(),
    retry: { maxAttempts: 4, initialDelayMs: 200, maxDelayMs: 2_000 },
    async *run({ program }, task) {
      let known = 0;
      for await (const item of task.items()) {
        note("item_read", { task: task.id, place: known, item });
        known += 1;
      }
      const { id, attempt } = task;
      note("attempt", { task: id, attempt, at: task.state.at, items: known });
      try {
        for (const [at, operation] of program.entries()) {
          if (at < task.state.at) continue;
          note("begins", { task: id, at, attempt, op: operation.op });
          await perform(operation, at, task, witness, note);
          yield { progress: at + 1, total: program.length, state: { at: at + 1 }, append: [at] };
          note("committed", { task: id, at, attempt });
        }
        note("returns", { task: id, attempt });
        return { done: program.length };
      } finally {
        note("leaves", { task: id, attempt });
      }
    },
  });
}

type Task = Parameters<Tool["run"]>[1];

async function perform(
  operation: Operation,
  at: number,
  task: Task,
  { failures, worker }: ToolWitness,
  note: Note,
): Promise<void> {
  const facts = { task: task.id, at, attempt: task.attempt };
  switch (operation.op) {
    case "work":
      return pause(operation.ms, task.signal);
    case "stubborn":
      return pause(operation.ms);
    case "step": {
      const value = await task.step(`step-${at}`, async () => {
        note("step_runs", facts);
        await pause(5);
        return at * 7;
      });
      note("step_done", { ...facts, value });
      return;
    }
    case "ask": {
      const { timeoutMs } = operation;
      const answer = await task.ask(`ask-${at}`, { message: `What comes at ${at}?`, schema: answerSchema, timeoutMs });
      const word = answer.action === "accept" ? answer.content.word : undefined;
      note("answered", { ...facts, action: answer.action, word });
      return;
    }
    case "sleep":
      await task.sleep(`sleep-${at}`, operation.ms);
      note("slept", facts);
      return;
    case "fail": {
      const key = `${task.id}/${at}`;
      const failed = failures.get(key) ?? 0;
      if (failed >= operation.times) return;
      failures.set(key, failed + 1);
      throw new RetryableError("The outside world refused it.");
    }
    case "give_up":
      throw new TerminalError("It cannot be done.");
    case "poison":
      await pause(20, task.signal);
      worker.die("by its tool");
      return pause(60_000);
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
