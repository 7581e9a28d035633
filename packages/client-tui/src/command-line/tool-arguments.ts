import type { JsonObject } from "@resumable-mcp/client";
import { didYouMean } from "@resumable-mcp/command-line/options";
import { type Json, parseJson } from "@resumable-mcp/protocol";
import { asObject } from "../json.js";
import { UsageError } from "./exit-codes.js";

/** How messages call what takes values, and one of them. */
export interface ArgumentWords {
  readonly owner: string;
  readonly part: "argument" | "field";
}

const ofTool: ArgumentWords = { owner: "The tool", part: "argument" };
/** How messages call a question and its fields. */
export const ofQuestion: ArgumentWords = { owner: "The question", part: "field" };

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
  called = ofTool,
): JsonObject {
  const given = json === undefined ? {} : asObject(parseJson(json));
  if (given === undefined)
    throw new UsageError(`--args has to be a JSON object, for example --args '{"key": "value"}'.`);
  const entries = words.map((word): readonly [string, Json] => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`"${word}" is not a valid argument: write key=value, or --args '{"key": …}'.`);
    const key = word.slice(0, at);
    checkDeclared(key, schema, called);
    return [key, parseValue(key, word.slice(at + 1), propertySchema(schema, key))];
  });
  for (const key of Object.keys(given)) checkDeclared(key, schema, called);
  return { ...given, ...Object.fromEntries(entries) };
}

/** The schema of one property, or `undefined` where the schema says nothing of it. */
function propertySchema(schema: JsonObject, key: string): JsonObject | undefined {
  const known = asObject(schema.properties)?.[key];
  return known === undefined ? undefined : (asObject(known) ?? {});
}

/** Keywords by which a schema can declare values apart from its `properties`. */
const otherDeclarations = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties"];

/** A name that the schema does not declare is a slip of the fingers: most servers drop it without a word. */
function checkDeclared(key: string, schema: JsonObject, { owner, part }: ArgumentWords): void {
  const properties = asObject(schema.properties);
  const open = (schema.additionalProperties ?? false) !== false || otherDeclarations.some((name) => name in schema);
  if (properties === undefined || open || Object.hasOwn(properties, key)) return;
  const names = Object.keys(givenProperties(schema));
  const has = names.length === 0 ? "It has none." : `It has: ${names.join(", ")}.`;
  throw new UsageError(`${owner} has no ${part} ${key}.${didYouMean(key, names)} ${has}`);
}

/**
 * Checks values against the whole schema, as the server will.
 *
 * @throws {@link UsageError} with every value that is missing or wrong.
 */
export async function checkArguments(values: JsonObject, schema: JsonObject, next: string): Promise<void> {
  // The validator takes longer to load than the rest of a command: only what needs it does.
  const { schemaErrors } = await import("./schema-errors.js");
  const problems = Object.entries(schemaErrors(schema, values)).flatMap(([path, problem]) => {
    const [, key = "", ...inner] = path.split("/");
    if (hiddenKeys.has(key)) return [];
    const name = [key, ...inner].join(".") || "It";
    if (problem !== "is required") return [`${name} ${problem}`];
    const kind = inner.length === 0 ? kindText(propertySchema(schema, key) ?? {}) : "";
    return [`${name} is missing${kind === "" ? "" : ` (${kind})`}`];
  });
  if (problems.length > 0) throw new UsageError(`${problems.join("; ")}. ${next}`);
}

/** Set by the client program with every request; a person has nothing to fill in. */
export const hiddenKeys = new Set(["client_id"]);

/** The properties that a person fills in. */
export function givenProperties(schema: JsonObject): JsonObject {
  const properties = Object.entries(asObject(schema.properties) ?? {});
  return Object.fromEntries(properties.filter(([key]) => !hiddenKeys.has(key)));
}

/** What a value may be: `an integer`, `S or M`. */
export function kindText(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(" or ");
  return readTypes(schema).map(withArticle).join(" or ");
}

/** Words that give a value to each property, as an example to fill in: `polite=true note=…`. */
export function exampleWords(schema: JsonObject): string {
  const words = Object.entries(givenProperties(schema)).map(([key, value]) => {
    const property = asObject(value) ?? {};
    const [option] = Array.isArray(property.enum) ? property.enum : [];
    const example = property.default ?? option ?? (readTypes(property).includes("boolean") ? true : "…");
    const word = `${key}=${typeof example === "string" ? example : JSON.stringify(example)}`;
    return requiredKeys(schema).includes(key) ? word : `[${word}]`;
  });
  return words.join(" ");
}

function parseValue(key: string, text: string, schema: JsonObject | undefined): Json {
  const types = schema === undefined ? [] : readTypes(schema);
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
export function readTypes(schema: JsonObject): readonly string[] {
  const { type, anyOf, oneOf } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((entry) => typeof entry === "string");
  const options = [anyOf, oneOf].flatMap((entry) => (Array.isArray(entry) ? entry : []));
  return options.flatMap((option) => readTypes(asObject(option) ?? {}));
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
