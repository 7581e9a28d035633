import type { JsonObject } from "@resumable-mcp/client";
import { type Json, parseJson } from "@resumable-mcp/protocol";
import { schemaErrors } from "../../command-line/schema-errors.js";
import { asObject, toText } from "../../json.js";
import { type FormField, fieldKey, innerFields, rootField } from "./form-field.js";

/** What stands in a form: the text of each field and the length of each list, by path. */
export interface FormDraft {
  readonly texts: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** Entries that a form shows of one list. */
export const maxListEntries = 50;

/** Fills a form with what was given before, else with what the schema has as defaults. */
export function initialDraft(schema: JsonObject, before: JsonObject = {}): FormDraft {
  return fill({ texts: {}, counts: {} }, rootField(schema), before, schema);
}

/** Fills one field, and all that it holds. */
export function fill(draft: FormDraft, field: FormField, given: Json | undefined, root: JsonObject): FormDraft {
  const { path, kind, schema } = field;
  const value = given ?? schema.default;
  if (kind !== "group" && kind !== "list") return { ...draft, texts: { ...draft.texts, [path]: textIn(field, value) } };
  const entries: readonly Json[] = Array.isArray(value) ? value.slice(0, maxListEntries) : [];
  const values: JsonObject = kind === "list" ? Object.fromEntries(entries.entries()) : (asObject(value) ?? {});
  const counts = kind === "list" ? { ...draft.counts, [path]: entries.length } : draft.counts;
  return innerFields(field, counts, root).reduce(
    (filled: FormDraft, inner) => fill(filled, inner, values[fieldKey(inner)], root),
    { ...draft, counts },
  );
}

function textIn({ kind, options }: FormField, value: Json | undefined): string {
  if (value === undefined) return "";
  const option = options.find((entry) => JSON.stringify(entry.value) === JSON.stringify(value));
  return option?.label ?? (kind === "json" ? JSON.stringify(value) : toText(value));
}

/** The lines of a form: each field, and under it what it holds. */
export function formLines(schema: JsonObject, { counts }: Pick<FormDraft, "counts">): readonly FormField[] {
  const below = (field: FormField): readonly FormField[] =>
    innerFields(field, counts, schema).flatMap((inner) => [inner, ...below(inner)]);
  return below(rootField(schema));
}

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
  const { value, errors } = readInner(rootField(schema), draft, schema);
  const values = asObject(value) ?? {};
  // What cannot be read at all says so better than a validator could; what is still missing hides nothing of the rest.
  return { values, errors: { ...schemaErrors(schema, values), ...errors } };
}

function readField(field: FormField, draft: FormDraft, root: JsonObject): Read {
  if (field.kind === "group" || field.kind === "list") return readInner(field, draft, root);
  const text = draft.texts[field.path] ?? "";
  if (text !== "") return readText(field, text);
  return field.required ? wrong(field, "is required") : { errors: {} };
}

/** An optional group in which nothing is filled in is left out, with all that it would need; so is an empty list. */
function readInner(field: FormField, draft: FormDraft, root: JsonObject): Read {
  const isList = field.kind === "list";
  const read = innerFields(field, draft.counts, root).map(
    (inner) => [fieldKey(inner), readField(inner, draft, root)] as const,
  );
  const known = read.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]));
  const errors: Read["errors"] = Object.assign({}, ...read.map(([, entry]) => entry.errors));
  if (field.required || (isList ? read : known).length > 0)
    // An entry that cannot be read keeps its place, so that what is wrong with others is said of them.
    return { value: isList ? read.map(([, { value }]) => value ?? null) : Object.fromEntries(known), errors };
  return { errors: Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== "is required")) };
}

function readText(field: FormField, text: string): Read {
  switch (field.kind) {
    case "number":
    case "integer":
      return readNumber(field, text);
    case "boolean":
    case "choice":
      return readOption(field, text);
    case "json": {
      const value = parseJson(text);
      return value === undefined ? wrong(field, "has to be JSON") : { value, errors: {} };
    }
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

function wrong({ path }: FormField, error: string): Read {
  return { errors: { [path]: error } };
}
