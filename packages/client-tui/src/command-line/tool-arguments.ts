import type { Json, JsonObject } from "@resumable-mcp/client";
import { asObject, parseJson } from "../json.js";
import { UsageError } from "./exit-code.js";

/**
 * Makes a tool's arguments of `key=value` words and a JSON text; words win.
 *
 * The tool's schema says what a word means: `n=5` is a number for a number and a text for a string. Without a schema
 * a word that is JSON is taken as that, and any other as a text.
 *
 * @throws {@link UsageError} for anything that cannot be meant.
 */
export function parseToolArguments(
  words: readonly string[],
  json: string | undefined,
  schema: JsonObject = {},
): JsonObject {
  const given = json === undefined ? {} : asObject(parseJson(json));
  if (given === undefined)
    throw new UsageError(`--args has to be a JSON object, for example --args '{"total_records": 50}'.`);
  const entries = words.map((word): readonly [string, Json] => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`"${word}" is not a valid argument: write key=value, or --args '{"key": …}'.`);
    const key = word.slice(0, at);
    return [key, parseValue(key, word.slice(at + 1), propertySchema(schema, key))];
  });
  return { ...given, ...Object.fromEntries(entries) };
}

/** The schema of one property, or `undefined` where the schema says nothing of it. */
function propertySchema(schema: JsonObject, key: string): JsonObject | undefined {
  const properties = asObject(schema.properties);
  const known = properties?.[key];
  if (known !== undefined) return asObject(known) ?? {};
  if (properties === undefined || schema.additionalProperties !== false) return undefined;
  throw new UsageError(`The tool has no argument ${key}. It has: ${Object.keys(properties).join(", ")}.`);
}

function parseValue(key: string, text: string, schema: JsonObject | undefined): Json {
  const types = schema === undefined ? [] : typesOf(schema);
  const json = parseJson(text);
  if (types.length === 0) return json ?? text;
  if (json !== undefined && types.some((type) => fits(json, type))) {
    // A word is a text first, where both are allowed.
    return types.includes("string") && typeof json !== "string" ? text : json;
  }
  if (types.includes("string")) return text;
  throw new UsageError(`${key} has to be ${types.map(withArticle).join(" or ")}, not "${text}".`);
}

/** The JSON types that a schema allows, as far as it says so directly. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type, anyOf, oneOf } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((entry) => typeof entry === "string");
  const options = [anyOf, oneOf].flatMap((entry) => (Array.isArray(entry) ? entry : []));
  return options.flatMap((option) => typesOf(asObject(option) ?? {}));
}

function fits(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return type === (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

function withArticle(type: string): string {
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

/** The properties that a schema requires. */
export function requiredKeys(schema: JsonObject): readonly Json[] {
  return Array.isArray(schema.required) ? schema.required : [];
}
