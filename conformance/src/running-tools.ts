import { defineTool, type Tool } from "@resumable-mcp/core";
import { z } from "zod";

const nothing = z.object({});
/** Every call is a run of its own: the scenarios repeat calls and expect a new one. */
const never = () => null;

function loggingTool(name: string): Tool {
  return defineTool({
    name,
    description: "Logs while it runs.",
    input: nothing,
    key: never,
    taskSupport: "forbidden",
    async *run(_input, task) {
      for (const [index, message] of ["Started", "Working", "Finished"].entries()) {
        task.log("info", message);
        yield { progress: index + 1, total: 3 };
      }
      return "Logged three messages.";
    },
  });
}

/** Tools that log, report progress or fail while they run. */
export const runningTools: readonly Tool[] = [
  loggingTool("test_tool_with_logging"),
  loggingTool("test_logging_tool"),
  defineTool({
    name: "test_tool_with_progress",
    description: "Reports progress while it runs.",
    input: nothing,
    key: never,
    taskSupport: "forbidden",
    async *run() {
      for (const progress of [0, 50, 100]) yield { progress, total: 100, message: `Completed ${progress} of 100` };
      return "Reported progress three times.";
    },
  }),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    input: nothing,
    key: never,
    taskSupport: "forbidden",
    run: async () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
];

/** Tools whose schemas are plain JSON Schema, and have to be listed word for word. */
export const schemaTools: readonly Tool[] = [
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    taskSupport: "forbidden",
    onCrash: "rerun",
    input: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: async (input) => `Called with ${JSON.stringify(input)}`,
  }),
  defineTool({
    name: "test_parameter_header",
    description: "Has a parameter that is also sent as a header.",
    taskSupport: "forbidden",
    onCrash: "rerun",
    input: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    },
    run: async (input) => `Called with ${JSON.stringify(input)}`,
  }),
];
