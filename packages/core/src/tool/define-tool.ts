import { copyJson, type Json } from "../json.js";
import { checkOptions } from "./check-options.js";
import type { NoCheckpoints } from "./run-check.js";
import { type AnySchema, type InferInput, type InferOutput, isSchema, toJsonSchema } from "./schema.js";
import { describeStateShape } from "./state-shape.js";
import type { ContentBlock, Tool, TypedTool } from "./tool.js";
import type { ToolOptions } from "./tool-options.js";

/**
 * Defines a long-running tool.
 *
 * `run` is an async generator, in which every `yield` is a durable checkpoint, or a plain async function without
 * checkpoints. The types of input, output, state and items follow from the definition.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for an option that does not exist or fit, and a schema without JSON Schema;
 * `NOT_JSON` for a first state that is not JSON.
 * @example
 * const countTo = defineTool({
 *   name: "count_to",
 *   description: "Counts to a number.",
 *   input: z.object({ n: z.number().int().positive() }),
 *   output: z.object({ counted: z.number() }),
 *   state: { at: 0 },
 *   async *run({ n }, task) {
 *     for (let at = task.state.at + 1; at <= n; at++) yield { progress: at, total: n, state: { at } };
 *     return { counted: n };
 *   },
 * });
 */
export function defineTool<const Input, State, const Output, const Item, Returned = never, Yielded = NoCheckpoints>(
  options: ToolOptions<Input, Output, State, Item, Returned, Yielded>,
): TypedTool<InferInput<Input>, unknown extends Output ? Returned : InferOutput<Output>> {
  // Erases the types: the engine hands each function only values that the tool's own schemas have checked.
  return toolOf(options as unknown as ErasedOptions);
}

/** Input, state and output are `never` here, because only what the tool's own schemas let through may be handed to its functions. */
type ErasedOptions = Omit<
  ToolOptions<AnySchema, AnySchema, unknown, AnySchema, unknown>,
  "content" | "key" | "label" | "run"
> & {
  readonly content?: (output: never) => readonly ContentBlock[];
  readonly key?: (input: never) => Json | null;
  readonly label?: (input: never) => string;
  run(input: never, task: never): ReturnType<Tool["run"]>;
};

function toolOf(options: ErasedOptions): Tool {
  const { name, state, output, content, version, ...rest } = options;
  const kind = isGenerator(options.run) ? "generator" : "function";
  checkOptions(options, kind);
  const first = isSchema(state) ? undefined : state;
  if (first !== undefined) copyJson(first, `the first state of tool ${name}`);
  const tool = {
    ...rest,
    name,
    state,
    stateShape: first === undefined ? undefined : describeStateShape(first),
    output,
    outputJsonSchema: output && toJsonSchema(output, "output", `${name}'s output`),
    version: version ?? "1",
    kind,
    inputJsonSchema: toJsonSchema(options.input, "input", `${name}'s input`),
    content: content ?? contentAsText,
  };
  return tool as unknown as Tool;
}

/** Sound as long as tools are compiled to ES2018 or later: older targets turn generators into plain functions. */
function isGenerator(run: ErasedOptions["run"]): boolean {
  return Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";
}

function contentAsText(output: Json): readonly ContentBlock[] {
  return [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }];
}
