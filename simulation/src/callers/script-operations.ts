import type { StandardSchema } from "@resumable-mcp/core";
import { z } from "zod";

/** One thing that a scripted tool does before its next checkpoint. */
const operationSchema = z.discriminatedUnion("op", [
  z.object({ op: z.literal("work"), ms: z.number() }),
  /** Ignores its signal. */
  z.object({ op: z.literal("stubborn"), ms: z.number() }),
  /** `fails`: so many of its attempts fail; `hangs`: by taking longer than they may. */
  z.object({ op: z.literal("step"), fails: z.number().optional(), hangs: z.boolean().optional() }),
  /**
   * A map over so many items, `width` of them at once. `fails`: so many attempts of one item fail. `collects`: each third item fails,
   * and is counted.
   */
  z.object({
    op: z.literal("map"),
    items: z.number(),
    width: z.number(),
    fails: z.number().optional(),
    collects: z.boolean().optional(),
  }),
  /** So many tasks of the same tool, called at the same time. Each works and sleeps for `ms`. */
  z.object({ op: z.literal("call"), children: z.number(), ms: z.number() }),
  /** A file of so many bytes, which come in pieces. */
  z.object({ op: z.literal("artifact"), bytes: z.number() }),
  /** Several steps, and a sleep, at the same time. */
  z.object({ op: z.literal("parallel"), steps: z.number(), ms: z.number() }),
  /**
   * `steps`: so many of them run meanwhile, one after the other. `fails`: the number of its attempts that fail while the question
   * is open, `failsAfterMs` after they began.
   */
  z.object({
    op: z.literal("ask"),
    timeoutMs: z.number().optional(),
    steps: z.number().optional(),
    failsAfterMs: z.number().optional(),
    fails: z.number().optional(),
  }),
  /** `afterMs`: without a checkpoint in between, so that a request to stop comes before the wait. */
  z.object({ op: z.literal("sleep"), ms: z.number(), afterMs: z.number().optional() }),
  /** Appends so many items with its checkpoint. */
  z.object({ op: z.literal("stream"), items: z.number() }),
  /** Makes the state this large. */
  z.object({ op: z.literal("load"), bytes: z.number() }),
  z.object({ op: z.literal("log"), lines: z.number() }),
  /** Fails so many times, then works. */
  z.object({ op: z.literal("fail"), times: z.number() }),
  z.object({ op: z.literal("give_up") }),
  /** Kills its process each time. */
  z.object({ op: z.literal("poison") }),
]);

export type Operation = z.infer<typeof operationSchema>;

/** What the tool takes. */
export const scriptInput = asJsonSchemaOnce(z.object({ run: z.string(), program: z.array(operationSchema) }));

/** What answers its questions. */
export const answerSchema = asJsonSchemaOnce(z.object({ word: z.string() }));

/** Converts a schema to JSON Schema once, not for each process: there are hundreds in a run. */
function asJsonSchemaOnce<Input, Output>(
  schema: StandardSchema<Input, Output> & z.ZodType,
): StandardSchema<Input, Output> {
  const converted = { ...z.toJSONSchema(schema) };
  return { "~standard": { ...schema["~standard"], jsonSchema: { input: () => converted, output: () => converted } } };
}
