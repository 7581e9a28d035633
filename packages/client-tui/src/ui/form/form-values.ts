import type { Json, JsonObject } from "@resumable-mcp/client";
import type { FormDraft } from "./form-draft.js";
import { type FormField, fieldOfEntry, fieldsOfObject, keyOf } from "./form-field.js";
import { schemaErrors } from "./schema-errors.js";

/** What a form says: the values, and what is wrong, by path. */
export interface FormValues {
  readonly values: JsonObject;
  readonly errors: Readonly<Record<string, string>>;
}

interface Read {
  readonly value?: Json;
  readonly errors: Readonly<Record<string, string>>;
}

/** Reads a form: first what stands in each field, then all of it against the schema. */
export function readForm(schema: JsonObject, draft: FormDraft): FormValues {
  const { value, errors } = readObject(fieldsOfObject(schema, schema), draft, schema);
  const values = value ?? {};
  // What cannot be read at all says so better than a validator could.
  return { values, errors: Object.keys(errors).length > 0 ? errors : schemaErrors(schema, values) };
}

function readObject(
  fields: readonly FormField[],
  draft: FormDraft,
  root: JsonObject,
): { readonly value?: JsonObject; readonly errors: Read["errors"] } {
  const read = fields.map((field) => [keyOf(field), readField(field, draft, root)] as const);
  const values = read.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]));
  const errors = Object.assign({}, ...read.map(([, entry]) => entry.errors));
  return { errors, value: values.length === 0 ? undefined : Object.fromEntries(values) };
}

function readField(field: FormField, draft: FormDraft, root: JsonObject): Read {
  if (field.kind === "group") return readGroup(field, draft, root);
  if (field.kind === "list") return readList(field, draft, root);
  const text = draft.texts[field.path] ?? "";
  if (text === "") return field.required ? wrong(field, "is required") : { errors: {} };
  return readText(field, text);
}

/** An optional group in which nothing is filled in is left out, with all that it would need. */
function readGroup(field: FormField, draft: FormDraft, root: JsonObject): Read {
  const inner = readObject(fieldsOfObject(field.schema, root, field.path, field.depth + 1), draft, root);
  if (inner.value !== undefined) return inner;
  return field.required ? { value: {}, errors: inner.errors } : { errors: onlyUnreadable(inner.errors) };
}

function onlyUnreadable(errors: Read["errors"]): Read["errors"] {
  return Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== "is required"));
}

function readList(field: FormField, draft: FormDraft, root: JsonObject): Read {
  const count = draft.counts[field.path] ?? 0;
  if (count === 0) return field.required ? { value: [], errors: {} } : { errors: {} };
  const read = Array.from({ length: count }, (_, index) => readField(fieldOfEntry(field, index, root), draft, root));
  const values = read.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return { value: values, errors: Object.assign({}, ...read.map(({ errors }) => errors)) };
}

function readText(field: FormField, text: string): Read {
  switch (field.kind) {
    case "number":
    case "integer":
      return readNumber(field, text);
    case "boolean":
    case "choice":
      return readOption(field, text);
    case "json":
      return readJson(field, text);
    default:
      return { value: text, errors: {} };
  }
}

function readNumber(field: FormField, text: string): Read {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return wrong(field, "has to be a number");
  if (field.kind === "integer" && !Number.isInteger(value)) return wrong(field, "has to be a whole number");
  return { value, errors: {} };
}

function readOption(field: FormField, text: string): Read {
  const option = field.options.find(({ label }) => label === text);
  if (option !== undefined) return { value: option.value, errors: {} };
  return wrong(field, `has to be one of ${field.options.map(({ label }) => label).join(", ")}`);
}

function readJson(field: FormField, text: string): Read {
  try {
    const value: Json = JSON.parse(text);
    return { value, errors: {} };
  } catch {
    return wrong(field, "has to be JSON");
  }
}

function wrong({ path }: FormField, error: string): Read {
  return { errors: { [path]: error } };
}
