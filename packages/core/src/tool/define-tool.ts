import { ResumableError } from "../errors.js";
import { copyJson, type Json } from "../json.js";
import { type AnySchema, isSchema, jsonSchemaOf } from "./schema.js";
import { stateShapeOf } from "./state-shape.js";
import type { ContentBlock, PlainToolDefinition, Tool, ToolDefinition } from "./tool.js";

const validName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Tells whether a text is one scope. Source: RFC 6749, section 3.3, `scope-token`. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}

/**
 * Defines a long-running tool.
 *
 * `run` is an async generator, in which every `yield` is a durable checkpoint, or a plain async function without
 * checkpoints. The types of input, output, state and items follow from the definition.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for a bad name or scope, a schema without JSON Schema, or a first state
 * that is not JSON.
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
export function defineTool<
  const Input extends AnySchema,
  State = unknown,
  const Output extends AnySchema | undefined = undefined,
  const Item extends AnySchema | undefined = undefined,
>(definition: ToolDefinition<Input, Output, State, Item>): Tool;
export function defineTool<const Input extends AnySchema, const Output extends AnySchema | undefined = undefined>(
  definition: PlainToolDefinition<Input, Output>,
): Tool;
export function defineTool(definition: LooseDefinition): Tool {
  const { name, state, output, content, onCrash, version, ...rest } = definition;
  const refuse = (problem: string) => {
    const option = `tool ${JSON.stringify(name)}`;
    throw new ResumableError("INVALID_OPTION", `${option}: ${problem}`, { details: { option } });
  };
  if (!validName.test(name)) refuse("name must be 1 to 64 letters, digits, underscores, hyphens or dots.");
  const badScope = definition.requiredScopes?.find((scope) => !isScope(scope));
  if (badScope !== undefined) refuse(`${JSON.stringify(badScope)} is not a valid scope.`);
  const first = isSchema(state) ? undefined : state;
  if (first !== undefined) copyJson(first, `the first state of tool ${name}`);
  const tool = {
    ...rest,
    name,
    state,
    stateShape: first === undefined ? undefined : stateShapeOf(first),
    output,
    outputJsonSchema: output && jsonSchemaOf(output, "output", `${name}'s output`),
    version: version ?? "1",
    kind: isGenerator(definition.run) ? "generator" : "function",
    onCrash: onCrash ?? "fail",
    inputJsonSchema: jsonSchemaOf(definition.input, "input", `${name}'s input`),
    content: content ?? contentAsText,
  };
  // Erases the types: the engine hands each function only values that the tool's own schemas have checked.
  return tool as unknown as Tool;
}

/**
 * Both kinds of definition with their types erased; the overloads above are what authors see. Input, state and output
 * are `never` here, because only what the tool's own schemas let through may be handed to its functions.
 */
type LooseDefinition = Omit<ToolDefinition<AnySchema, AnySchema, unknown, AnySchema>, "output" | "item" | Functions> & {
  readonly output?: AnySchema | undefined;
  readonly item?: AnySchema | undefined;
  readonly onCrash?: "rerun" | "fail";
  readonly content?: (output: never) => readonly ContentBlock[];
  readonly key?: (input: never) => Json | null;
  run(input: never, task: never): ReturnType<Tool["run"]>;
};
type Functions = "content" | "key" | "run";

/** Sound as long as tools are compiled to ES2018 or later: older targets turn generators into plain functions. */
function isGenerator(run: LooseDefinition["run"]): boolean {
  return Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";
}

function contentAsText(output: Json): readonly ContentBlock[] {
  return [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }];
}
