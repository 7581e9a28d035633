import type { JsonObject, Tool } from "@resumable-mcp/core";
import { controlToolMeta, metaKeys } from "@resumable-mcp/protocol";
import { declaresClientId, withClientId } from "../call/session-client.js";
import type { ControlTool } from "./control-tools.js";

/** How tools are listed, made once for all servers of an era: schemas are larger than all else that a session holds. */
export interface ToolConfigs {
  ofTool(tool: Tool): object;
  ofControlTool(tool: ControlTool): object;
}

/**
 * Makes what lists tools.
 *
 * @param schemaOf makes an SDK's schema, which is listed as the given JSON Schema and lets every value through.
 */
export function createToolConfigs(schemaOf: (schema: () => JsonObject) => object): ToolConfigs {
  return {
    ofTool: oncePer((tool: Tool) => {
      const { inputJsonSchema, clientIdArgument, outputJsonSchema, annotations, title, description, icons } = tool;
      const output = answerSchema(outputJsonSchema);
      const isOwn = declaresClientId(inputJsonSchema);
      const lists = clientIdArgument === true && !isOwn;
      return {
        title,
        description,
        inputSchema: schemaOf(() => (lists ? withClientId(inputJsonSchema) : inputJsonSchema)),
        outputSchema: output && schemaOf(() => output),
        annotations,
        icons,
        _meta: {
          [metaKeys.durable]: "journal",
          [metaKeys.clientId]: isOwn && clientIdArgument !== true ? "data" : "argument",
        },
      };
    }),
    ofControlTool: oncePer(({ name, title, description, annotations, inputSchema }: ControlTool) => ({
      title,
      description,
      inputSchema: schemaOf(inputSchema),
      annotations,
      _meta: controlToolMeta(name),
    })),
  };
}

/** Makes a value once for each key: what all sessions have in common is not kept for each of them. */
function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/**
 * The schema of all that a call of a resumable tool may answer: its output, or a task under way, or an error.
 *
 * Clients check results against the schema that they listed, also those that say "still running". `undefined` when the
 * tool's output is not an object: only objects can be structured content.
 */
function answerSchema(output: JsonObject | undefined): JsonObject | undefined {
  if (output?.type !== "object") return undefined;
  // The dialect is said at the root of the document, and references lead there: the definitions move with it.
  const { $schema, $defs, definitions, ...own } = output;
  const state = {
    type: "object",
    properties: {
      status: { enum: ["running", "paused", "input_required"] },
      task_id: { type: "string" },
      progress: { type: "number" },
      total: { type: "number" },
      next_tool: { type: "string" },
    },
    required: ["status", "task_id", "next_tool"],
  };
  const failure = { type: "object", properties: { error: { type: "object" } }, required: ["error"] };
  return {
    type: "object",
    ...($schema === undefined ? {} : { $schema }),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    anyOf: [own, state, failure],
  };
}
