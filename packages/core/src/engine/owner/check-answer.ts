import { invalidValue, ResumableError } from "../../errors.js";
import { copyJson, isJsonObject, type Json, type JsonObject } from "../../json.js";
import type { Answer } from "../../task/task-event.js";
import { isFinal, openQuestions, type TaskSnapshot } from "../../task/task-record.js";
import { choicesOf } from "../../tool/form-schema.js";

/**
 * Checks an answer against the flat schema of its question. Returns the problems, none when it fits. Pure.
 *
 * Source: MCP 2025-11-25, Client Features, Elicitation, "Requested Schema" (objects with primitive properties).
 */
export function checkAnswer(schema: JsonObject, content: JsonObject): readonly string[] {
  const { properties, required, additionalProperties } = schema;
  const missing = listOf(required).flatMap((key) =>
    typeof key === "string" && !Object.hasOwn(content, key) ? [`${key}: is required`] : [],
  );
  const wrong = Object.entries(content).flatMap(([key, value]) => {
    const property = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isJsonObject(property)) return additionalProperties === false ? [`${key}: is not asked for`] : [];
    return checkProperty(property, value).map((problem) => `${key}: ${problem}`);
  });
  return [...missing, ...wrong];
}

function checkProperty(property: JsonObject, value: Json): readonly string[] {
  const allowed = choicesOf(property);
  if (allowed !== undefined && !allowed.includes(value)) return [`must be one of ${allowed.map(String).join(", ")}`];
  const { type } = property;
  const check = typeof type === "string" && Object.hasOwn(checks, type) ? checks[type] : undefined;
  return check?.(property, value) ?? [];
}

const checks: { readonly [type: string]: (property: JsonObject, value: Json) => readonly string[] } = {
  string: checkString,
  integer: checkNumber,
  number: checkNumber,
  boolean: (_property, value) => (typeof value === "boolean" ? [] : ["must be true or false"]),
  array: checkList,
};

function checkString({ minLength, maxLength }: JsonObject, value: Json): readonly string[] {
  if (typeof value !== "string") return ["must be text"];
  return checkRange(value.length, minLength, maxLength, (bound, limit) => `must have ${bound} ${limit} characters`);
}

function checkNumber({ type, minimum, maximum }: JsonObject, value: Json): readonly string[] {
  if (typeof value !== "number") return ["must be a number"];
  if (type === "integer" && !Number.isInteger(value)) return ["must be a whole number"];
  return checkRange(value, minimum, maximum, (bound, limit) => `must be ${bound} ${limit}`);
}

function checkList({ items, minItems, maxItems }: JsonObject, value: Json): readonly string[] {
  if (!Array.isArray(value)) return ["must be a list"];
  const size = checkRange(value.length, minItems, maxItems, (bound, limit) => `must have ${bound} ${limit} entries`);
  if (size.length > 0 || !isJsonObject(items)) return size;
  return value.flatMap((entry: Json, index) => checkProperty(items, entry).map((problem) => `[${index}] ${problem}`));
}

function checkRange(
  value: number,
  min: Json | undefined,
  max: Json | undefined,
  problem: (bound: "at least" | "at most", limit: number) => string,
): readonly string[] {
  if (typeof min === "number" && value < min) return [problem("at least", min)];
  return typeof max === "number" && value > max ? [problem("at most", max)] : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Checks an answer that a user gives to a question of a task, and copies it. Pure.
 *
 * @throws {@link ResumableError} `UNKNOWN_QUESTION`, `ALREADY_ANSWERED`, `INVALID_VALUE`, `NOT_JSON`.
 */
export function checkGivenAnswer(
  { record, signals }: TaskSnapshot,
  key: string,
  given: Answer,
  leftMs: (wallMs: number) => number,
): Answer {
  const entry = Object.hasOwn(record.remembered, key) ? record.remembered[key] : undefined;
  const pending = signals.some((signal) => signal.kind === "answer" && signal.key === key);
  if (entry?.kind === "answer" || pending)
    throw answered(record.id, key, "already has an answer. The first one counts");
  if (entry?.kind !== "question" || isFinal(record.status)) throw unknown(record, key);
  const { expiresAt, schema } = entry.question;
  if (expiresAt !== undefined && leftMs(Date.parse(expiresAt)) <= 0)
    throw answered(record.id, key, "has expired: it takes no answer any more");
  const { action } = given;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJsonObject(given.content)) {
    throw invalidValue("The answer", ["must be accept with content, decline, or cancel"]);
  }
  const problems = checkAnswer(schema, given.content);
  if (problems.length > 0) throw invalidValue("The answer", problems);
  const content = copyJson(given.content, "answer.content");
  // A copy of an object is an object.
  return { action, content: content as typeof given.content };
}

function answered(taskId: string, key: string, why: string): ResumableError {
  return new ResumableError("ALREADY_ANSWERED", `The question ${JSON.stringify(key)} ${why}.`, {
    details: { taskId, key },
  });
}

function unknown(record: TaskSnapshot["record"], key: string): ResumableError {
  const open = isFinal(record.status) ? [] : openQuestions(record).map((question) => question.key);
  const advice = open.length === 0 ? "It has no open question." : `Open questions: ${open.join(", ")}.`;
  return new ResumableError("UNKNOWN_QUESTION", `The task asks no question ${JSON.stringify(key)}. ${advice}`, {
    details: { taskId: record.id, key },
  });
}
