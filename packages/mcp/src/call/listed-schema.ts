import type { JsonObject } from "@resumable-mcp/core";

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
