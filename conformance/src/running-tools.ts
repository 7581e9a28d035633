import { defineTool, type Tool } from "@resumable-mcp/core";
import { z } from "zod";

const nothing = z.object({});
/** Every call is a run of its own: the scenarios repeat calls and expect a new one. */
const ownRun = { key: () => null };
const plain = { ...ownRun, input: nothing, taskSupport: "forbidden" } as const;
const verbatim = { taskSupport: "forbidden", durable: true } as const;

function loggingTool(name: string): Tool {
  return defineTool({
    name,
    description: "Logs while it runs.",
    ...plain,
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
    ...plain,
    async *run() {
      for (const progress of [0, 50, 100]) yield { progress, total: 100, message: `Completed ${progress} of 100` };
      return "Reported progress three times.";
    },
  }),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    ...plain,
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
    ...verbatim,
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
    ...verbatim,
    input: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    },
    run: async (input) => `Called with ${JSON.stringify(input)}`,
  }),
];

/** The job of `test_tool_with_task`, which asks for the name before it begins. */
export const helloJob = "hello_job";

/** Tools of the tasks scenarios. */
export const taskTools: readonly Tool[] = [
  defineTool({
    name: "greet",
    description: "Greets at once.",
    input: z.object({ name: z.string() }),
    ...ownRun,
    taskSupport: "forbidden",
    durable: true,
    run: async ({ name }) => `Hello, ${name}!`,
  }),
  defineTool({
    name: "slow_compute",
    description: "Computes for some seconds.",
    input: z.object({ seconds: z.number().min(0), label: z.string().default("") }),
    ...ownRun,
    async *run({ seconds, label }, task) {
      yield { progress: 0, total: seconds };
      await task.sleep("compute", seconds * 1_000);
      yield { progress: seconds, total: seconds };
      return `Computed ${label} for ${seconds} s.`;
    },
  }),
  defineTool({
    name: "failing_job",
    description: "Fails after a second.",
    input: nothing,
    ...ownRun,
    taskSupport: "required",
    async *run(_input, task) {
      yield { progress: 0, total: 1 };
      await task.sleep("work", 1_000);
      throw new Error("The job failed.");
    },
  }),
  defineTool({
    name: "protocol_error_job",
    description: "Ends with a protocol error.",
    input: nothing,
    ...ownRun,
    async *run() {
      yield { progress: 0, total: 1 };
      throw Object.assign(new Error("The job broke down."), { code: -32_603 });
    },
  }),
  defineTool({
    name: "confirm_delete",
    description: "Asks before it deletes.",
    input: z.object({ filename: z.string() }),
    ...ownRun,
    durable: true,
    run: async ({ filename }, task) => {
      const schema = z.object({ confirm: z.boolean() });
      const answer = await task.ask("confirm", { message: `Delete ${filename}?`, schema });
      return answer.action === "accept" && answer.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`;
    },
  }),
  defineTool({
    name: "multi_input",
    description: "Asks two questions at once.",
    input: nothing,
    ...ownRun,
    durable: true,
    run: async (_input, task) => {
      const schema = z.object({ name: z.string() });
      const answers = await Promise.all([
        task.ask("first", { message: "The first name?", schema }),
        task.ask("second", { message: "The second name?", schema }),
      ]);
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    name: helloJob,
    description: "Greets after a while.",
    input: z.object({ name: z.string() }),
    ...ownRun,
    taskSupport: "required",
    async *run({ name }, task) {
      yield { progress: 0, total: 1 };
      await task.sleep("think", 300);
      return `Hello, ${name}!`;
    },
  }),
];
