import type { JsonObject } from "@resumable-mcp/core";
import { z } from "zod";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/**
 * Makes a zod schema that lets every object through and is listed as exactly the given JSON Schema.
 *
 * The engine checks values itself, by the tool's own schema, whatever library that came from; the SDK only needs
 * something to list. Source: MCP, Tools, "Listing Tools" (`inputSchema`, `outputSchema`).
 */
export function exactSchema(schema: JsonObject): z.ZodObject {
  const passing = z.looseObject({});
  passing._zod.toJSONSchema = () => structuredClone({ $schema: dialect, ...schema });
  return passing;
}

/** Adds the argument `client_id` to what is listed. */
export function withClientId(schema: JsonObject): JsonObject {
  const properties = typeof schema.properties === "object" ? schema.properties : {};
  const description = "Set by the client program, to find its tasks again. Do not invent one.";
  return { ...schema, properties: { ...properties, client_id: { type: "string", description } } };
}

/**
 * The schema of all that a call of a resumable tool may answer: its output, or a task that goes on, or an error.
 *
 * Clients check results against the schema that they listed, also those that say "still running". `undefined` when the
 * tool's output is no object: only objects can be structured content.
 */
export function answerSchema(output: JsonObject | undefined): JsonObject | undefined {
  if (output?.type !== "object") return undefined;
  // References lead to the root of the document, so the definitions move there.
  const { $defs, definitions, ...own } = output;
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
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    anyOf: [own, state, failure],
  };
}
