import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/protocol";
import { schemaOptions } from "@resumable-mcp/protocol/display";
import { bodyText, lineText } from "./bounded.js";

/** What a field holds: `many` is a choice of several. */
export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "many" | "json";

/** One value of a choice as the page knows it, what a person reads for it, and the value itself, which need not be a text. */
export interface FieldOption {
  readonly value: string;
  readonly label: string;
  readonly constant: Json;
}

/** One field of a form, made from one property of a flat JSON Schema. Source: MCP, Elicitation, "Requested Schema". */
export interface FormField {
  readonly key: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description?: string;
  readonly options: readonly FieldOption[];
  readonly schema: JsonObject;
}

/** What stands in a form, by the key of the field: a text, or the chosen values. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** What is wrong with a field, and the number that says how much. */
export interface FieldError {
  readonly name: "required" | "number" | "integer" | "minimum" | "maximum" | "minLength" | "maxLength" | "json";
  readonly limit: number;
}

/** Fields, and options of one field, that a form shows. */
const maxFields = 100;
const maxOptions = 500;

/** The fields of a flat schema. */
export function readFields(schema: JsonObject): readonly FormField[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required: readonly Json[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .slice(0, maxFields)
    .map(([key, value]) => fieldOf(key, isJsonObject(value) ? value : {}, required.includes(key)));
}

function fieldOf(key: string, schema: JsonObject, required: boolean): FormField {
  const { title, description } = schema;
  const label = lineText(typeof title === "string" && title.trim() !== "" ? title : key);
  const options = schemaOptions(schema.type === "array" && isJsonObject(schema.items) ? schema.items : schema)
    .slice(0, maxOptions)
    .map(({ value, label: name }) => ({ value: String(value), label: lineText(name), constant: value }));
  return {
    key,
    label,
    kind: kindOf(schema, options),
    required,
    options,
    schema,
    description: typeof description === "string" ? lineText(description, 1_000) : undefined,
  };
}

function kindOf({ type }: JsonObject, options: readonly FieldOption[]): FieldKind {
  if (type === "array") return options.length > 0 ? "many" : "json";
  if (options.length > 0) return "choice";
  if (type === "string") return "text";
  return type === "number" || type === "integer" || type === "boolean" ? type : "json";
}

/** A form as it is first seen: with what is given, else with the defaults of its schema. */
export function initialValues(fields: readonly FormField[], given: JsonObject = {}): FormValues {
  return Object.fromEntries(
    fields.map(({ key, kind, schema }) => [
      key,
      startOf(kind, Object.hasOwn(given, key) ? given[key] : schema.default),
    ]),
  );
}

function startOf(kind: FieldKind, start: Json | undefined): string | readonly string[] {
  if (kind === "many") return Array.isArray(start) ? start.map(String) : [];
  if (start === undefined) return "";
  if (typeof start !== "string") return JSON.stringify(start);
  // The value of a choice is compared as it is, and is never drawn.
  return kind === "text" || kind === "json" ? bodyText(start).text : start;
}

/** What a form says: the content of the answer, and what is wrong, by key. The server has the last word on both. */
export interface FormContent {
  readonly content: JsonObject;
  readonly errors: Readonly<Record<string, FieldError>>;
}

/** What is wrong with a field; a field may be called like a member of every object. */
export function findError(errors: FormContent["errors"], key: string): FieldError | undefined {
  return Object.hasOwn(errors, key) ? errors[key] : undefined;
}

/** Reads a form. A field in which nothing stands is left out. */
export function readForm(fields: readonly FormField[], values: FormValues): FormContent {
  const content: [key: string, value: Json][] = [];
  const errors: [key: string, error: FieldError][] = [];
  for (const field of fields) {
    const given = values[field.key] ?? "";
    if (given.length === 0) {
      // An empty list is an answer, where one is needed.
      if (field.kind === "many" && field.required) content.push([field.key, []]);
      else if (field.required) errors.push([field.key, { name: "required", limit: 0 }]);
      continue;
    }
    const read = typeof given === "string" ? readText(field, given) : { value: [...given] };
    if (read.error === undefined) content.push([field.key, read.value]);
    else errors.push([field.key, read.error]);
  }
  return { content: Object.fromEntries(content), errors: Object.fromEntries(errors) };
}

type Read = { readonly value: Json; readonly error?: undefined } | { readonly error: FieldError };

function readText({ kind, schema, options }: FormField, text: string): Read {
  switch (kind) {
    case "number":
    case "integer":
      return readNumber(kind, schema, text);
    case "boolean":
      return { value: text === "true" };
    case "choice":
      return { value: options.find(({ value }) => value === text)?.constant ?? text };
    case "json":
      return readJson(text);
    default:
      return readLength(schema, text);
  }
}

function readNumber(kind: "number" | "integer", { minimum, maximum }: JsonObject, text: string): Read {
  const value = Number(text.replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(value)) return { error: { name: "number", limit: 0 } };
  if (kind === "integer" && !Number.isInteger(value)) return { error: { name: "integer", limit: 0 } };
  if (typeof minimum === "number" && value < minimum) return { error: { name: "minimum", limit: minimum } };
  if (typeof maximum === "number" && value > maximum) return { error: { name: "maximum", limit: maximum } };
  return { value };
}

function readLength({ minLength, maxLength }: JsonObject, text: string): Read {
  // JSON Schema counts code points.
  const length = Array.from(text).length;
  if (typeof minLength === "number" && length < minLength) return { error: { name: "minLength", limit: minLength } };
  if (typeof maxLength === "number" && length > maxLength) return { error: { name: "maxLength", limit: maxLength } };
  return { value: text };
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { error: { name: "json", limit: 0 } };
  }
}
