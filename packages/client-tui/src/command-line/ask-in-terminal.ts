import { createInterface } from "node:readline/promises";
import type { JsonObject } from "@resumable-mcp/client";
import type { QuestionAnswer, TaskQuestion } from "@resumable-mcp/protocol";
import { plainText } from "../display/plain-text.js";
import { asObject } from "../json.js";
import { UsageError } from "./exit-code.js";
import type { Output } from "./output.js";
import { checkArguments, ofQuestion, parseToolArguments, requiredKeys } from "./tool-arguments.js";

/** Where a question is asked. */
export interface AskPlace {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Tells what else writes there that a prompt is open. */
  readonly keepPrompt?: Output["keepPrompt"];
}

/** Asks a question line by line: an empty line takes the default or leaves an optional field out, `-` declines. */
export async function askInTerminal(
  question: TaskQuestion,
  signal: AbortSignal,
  place: AskPlace = { input: process.stdin, output: process.stderr },
): Promise<QuestionAnswer> {
  const lines = createInterface(place);
  // Readline would keep Ctrl-C to itself.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const read = async (prompt: string) => {
    const answered = lines.question(prompt, { signal });
    // With what was typed so far.
    const end = place.keepPrompt?.(() => lines.prompt(true));
    return answered.finally(end);
  };
  const say = (text: string) => place.output.write(`${plainText(text)}\n`);
  try {
    let content: JsonObject = {};
    for (const [key, schema] of Object.entries(asObject(question.schema.properties) ?? {})) {
      const value = await askOne({ key, schema: asObject(schema) ?? {}, whole: question.schema }, read, say);
      if (value === "declined") return { action: "decline" };
      content = { ...content, ...value };
    }
    return { action: "accept", content };
  } finally {
    lines.close();
  }
}

interface AskedField {
  readonly key: string;
  readonly schema: JsonObject;
  /** The schema of all fields. */
  readonly whole: JsonObject;
}

async function askOne(
  field: AskedField,
  read: (prompt: string) => Promise<string>,
  say: (text: string) => void,
): Promise<JsonObject | "declined"> {
  const { key, schema, whole } = field;
  for (;;) {
    const text = await read(promptOf(field));
    if (text === "-") return "declined";
    if (text === "" && schema.default !== undefined) return { [key]: schema.default };
    if (text === "" && !isRequired(field)) return {};
    try {
      const value = parseToolArguments([`${key}=${wordOf(text, schema)}`], undefined, whole, ofQuestion);
      await checkArguments(value, { ...whole, required: [] }, "Type it again.");
      return value;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      say(error.message);
    }
  }
}

function isRequired({ key, whole }: AskedField): boolean {
  return requiredKeys(whole).includes(key);
}

/** `note: For whom it is (optional: Enter leaves it out), - declines the question: `. */
function promptOf(field: AskedField): string {
  const { key, schema } = field;
  const name = plainText(typeof schema.title === "string" ? schema.title : key);
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : schema.type === "boolean" ? ["y", "n"] : [];
  const about = typeof schema.description === "string" ? `: ${plainText(schema.description)}` : "";
  const choice = options.length === 0 ? "" : ` (${plainText(options.join("/"))})`;
  const usual = schema.default === undefined ? "" : ` [${plainText(String(schema.default))}]`;
  const empty = schema.default !== undefined || isRequired(field) ? "" : " (optional: Enter leaves it out)";
  return `${name}${about}${choice}${usual}${empty}, - declines the question: `;
}

function wordOf(text: string, schema: JsonObject): string {
  if (schema.type !== "boolean") return text;
  return /^(y|yes)$/i.test(text) ? "true" : /^(n|no)$/i.test(text) ? "false" : text;
}
