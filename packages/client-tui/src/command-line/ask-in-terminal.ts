import { createInterface } from "node:readline/promises";
import type { JsonObject, Question, QuestionAnswer } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import { asObject } from "../json.js";
import { UsageError } from "./exit-code.js";
import { parseToolArguments, requiredKeys } from "./tool-arguments.js";

/** Asks a question line by line: an empty line takes the default, `-` declines. */
export async function askInTerminal(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Readline would keep Ctrl-C to itself.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const read = (prompt: string) => lines.question(prompt, { signal });
  try {
    let content: JsonObject = {};
    for (const [key, schema] of Object.entries(asObject(question.schema.properties) ?? {})) {
      const value = await askOne(key, asObject(schema) ?? {}, question.schema, read);
      if (value === "declined") return { action: "decline" };
      content = { ...content, ...value };
    }
    return { action: "accept", content };
  } finally {
    lines.close();
  }
}

async function askOne(
  key: string,
  schema: JsonObject,
  whole: JsonObject,
  read: (prompt: string) => Promise<string>,
): Promise<JsonObject | "declined"> {
  for (;;) {
    const text = await read(promptOf(key, schema));
    if (text === "-") return "declined";
    if (text === "" && schema.default !== undefined) return { [key]: schema.default };
    if (text === "" && !requiredKeys(whole).includes(key)) return {};
    try {
      return parseToolArguments([`${key}=${wordOf(text, schema)}`], undefined, whole);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
}

function promptOf(key: string, schema: JsonObject): string {
  const name = plainText(typeof schema.title === "string" ? schema.title : key);
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : schema.type === "boolean" ? ["y", "n"] : [];
  const choice = options.length === 0 ? "" : ` (${plainText(options.join("/"))})`;
  const usual = schema.default === undefined ? "" : ` [${plainText(String(schema.default))}]`;
  return `${name}${choice}${usual}, - to decline: `;
}

function wordOf(text: string, schema: JsonObject): string {
  if (schema.type !== "boolean") return text;
  return /^(y|yes)$/i.test(text) ? "true" : /^(n|no)$/i.test(text) ? "false" : text;
}
