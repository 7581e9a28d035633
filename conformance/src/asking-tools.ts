import { type AskResult, defineTool, type Json, type JsonObject, type Tool } from "@resumable-mcp/core";
import { z } from "zod";

const nothing = z.object({});
const nameForm = z.object({ name: z.string() });

interface AskingTool {
  readonly name: string;
  readonly message: string;
  readonly key: string;
  readonly schema: JsonObject;
  readonly say: (answer: AskResult<Json>) => string;
}

/** A tool that asks one question and says what came back. */
function askingTool({ name, key, message, schema, say }: AskingTool): Tool {
  return defineTool({
    name,
    description: "Asks its user.",
    input: nothing,
    taskSupport: "forbidden",
    durable: true,
    run: async (_input, task) => say(await task.ask(key, { message, schema })),
  });
}

const described = (answer: AskResult<Json>): string =>
  `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.action === "accept" ? answer.content : {})}`;

const yesForm: JsonObject = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

/** Tools that ask their user, in whatever way the client's era has. */
export const askingTools: readonly Tool[] = [
  defineTool({
    name: "test_elicitation",
    description: "Asks its user.",
    input: z.object({ message: z.string() }),
    taskSupport: "forbidden",
    durable: true,
    run: async ({ message }, task) => {
      const schema = z.object({ response: z.string().describe("User's response") });
      return described(await task.ask("response", { message, schema }));
    },
  }),
  askingTool({
    name: "test_streaming_elicitation",
    key: "response",
    message: "Anything to say?",
    schema: { type: "object", properties: { response: { type: "string" } } },
    say: described,
  }),
  askingTool({
    name: "test_elicitation_sep1034_defaults",
    key: "form",
    message: "Review the defaults.",
    schema: {
      type: "object",
      properties: {
        name: { type: "string", description: "User name", default: "John Doe" },
        age: { type: "integer", description: "User age", default: 30 },
        score: { type: "number", description: "User score", default: 95.5 },
        status: {
          type: "string",
          description: "User status",
          enum: ["active", "inactive", "pending"],
          default: "active",
        },
        verified: { type: "boolean", description: "Verification status", default: true },
      },
      required: [],
    },
    say: described,
  }),
  askingTool({
    name: "test_elicitation_sep1330_enums",
    key: "form",
    message: "Select from the lists.",
    schema: enumForm(),
    say: described,
  }),
  askingTool({
    name: "test_input_required_result_elicitation",
    key: "user_name",
    message: "What is your name?",
    schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    say: (answer) => `Hello, ${answer.action === "accept" ? nameForm.parse(answer.content).name : "stranger"}!`,
  }),
  ...["test_input_required_result_request_state", "test_input_required_result_tampered_state"].map((name) =>
    askingTool({ name, key: "confirm", message: "Please confirm", schema: yesForm, say: () => "state-ok" }),
  ),
  defineTool({
    name: "test_input_required_result_multi_round",
    description: "Asks its user twice.",
    input: nothing,
    taskSupport: "forbidden",
    durable: true,
    run: async (_input, task) => {
      const name = await task.ask("step1", { message: "Step 1: What is your name?", schema: nameForm });
      const color = await task.ask("step2", {
        message: "Step 2: What is your favorite color?",
        schema: z.object({ color: z.string() }),
      });
      return `${JSON.stringify(name)} ${JSON.stringify(color)}`;
    },
  }),
];

function enumForm(): JsonObject {
  const titled = (kind: string) =>
    ["First", "Second", "Third"].map((word, index) => ({ const: `value${index + 1}`, title: `${word} ${kind}` }));
  const options = ["option1", "option2", "option3"];
  return {
    type: "object",
    properties: {
      untitledSingle: { type: "string", description: "Select one option", enum: options },
      titledSingle: { type: "string", description: "Select one option with titles", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        description: "Select one option (legacy)",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: {
        type: "array",
        description: "Select multiple options",
        minItems: 1,
        maxItems: 3,
        items: { type: "string", enum: options },
      },
      titledMulti: {
        type: "array",
        description: "Select multiple options with titles",
        minItems: 1,
        maxItems: 3,
        items: { anyOf: titled("Choice") },
      },
    },
    required: [],
  };
}
