import type { Json, JsonObject } from "@resumable-mcp/client";
import type { KeyPress } from "../key-press.js";
import type { KeyStep } from "../use-key-state.js";
import type { FormField } from "./form-field.js";

/** What stands in a form, and where the user is in it. */
export interface FormState {
  readonly focus: number;
  /** The text of each field, by its key. */
  readonly texts: Readonly<Record<string, string>>;
  /** What is wrong, by the key of the field; empty until the first attempt to send. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What the user wants with a form. */
export type FormOutcome = { readonly type: "submit"; readonly values: JsonObject } | { readonly type: "back" };

/** A form as it is first seen. */
export function initialFormState(fields: readonly FormField[]): FormState {
  return { focus: 0, texts: Object.fromEntries(fields.map(({ key, initial }) => [key, initial])), errors: {} };
}

/** Fills in a form: Enter sends it when every field is right, else goes to the first that is wrong. */
export function reduceForm(
  state: FormState,
  key: KeyPress,
  fields: readonly FormField[],
): KeyStep<FormState, FormOutcome> {
  if (key.name === "escape") return { state, outcome: { type: "back" } };
  if (key.name === "enter") return submit(state, fields);
  const field = fields[state.focus];
  if (field === undefined) return { state };
  if (key.name === "up" || key.name === "backtab") return { state: { ...state, focus: Math.max(0, state.focus - 1) } };
  if (key.name === "down" || key.name === "tab") {
    return { state: { ...state, focus: Math.min(fields.length - 1, state.focus + 1) } };
  }
  const text = edit(field, state.texts[field.key] ?? "", key);
  const texts = { ...state.texts, [field.key]: text };
  // Once a field was found wrong it is checked as one types.
  return { state: { ...state, texts, errors: field.key in state.errors ? check(fields, texts).errors : state.errors } };
}

function edit(field: FormField, text: string, key: KeyPress): string {
  if (field.options.length > 0) return choose(field, text, key);
  if (key.name === "backspace") return text.slice(0, -1);
  return text + key.text;
}

/** Goes through the options; an optional field can also be left empty. */
function choose({ options, required }: FormField, text: string, key: KeyPress): string {
  const by = key.name === "right" || key.text === " " ? 1 : key.name === "left" ? -1 : 0;
  const all = required ? options : ["", ...options];
  if (by === 0) return (key.text !== "" && options.find((option) => option.startsWith(key.text))) || text;
  const index = all.indexOf(text) + by;
  return all[(index + all.length) % all.length] ?? text;
}

function submit(state: FormState, fields: readonly FormField[]): KeyStep<FormState, FormOutcome> {
  const { values, errors } = check(fields, state.texts);
  const wrong = fields.findIndex(({ key }) => key in errors);
  if (wrong < 0) return { state: { ...state, errors }, outcome: { type: "submit", values } };
  return { state: { ...state, errors, focus: wrong } };
}

/** Reads all fields: the values, and what is wrong with those that cannot be read. */
export function check(
  fields: readonly FormField[],
  texts: Readonly<Record<string, string>>,
): { readonly values: JsonObject; readonly errors: Readonly<Record<string, string>> } {
  const read = fields.map((field) => [field.key, readField(field, texts[field.key] ?? "")] as const);
  const values = read.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]));
  const errors = read.flatMap(([key, { error }]) => (error === undefined ? [] : [[key, error] as const]));
  return { values: Object.fromEntries(values), errors: Object.fromEntries(errors) };
}

interface ReadField {
  readonly value?: Json;
  readonly error?: string;
}

function readField(field: FormField, text: string): ReadField {
  if (text === "") return field.required ? { error: "is needed" } : {};
  switch (field.kind) {
    case "number":
    case "integer":
      return readNumber(field, text);
    case "boolean":
      return { value: text === "true" };
    case "json":
      return readJson(text);
    case "choice":
      return readChoice(field, text);
    case "text":
      return readText(field, text);
  }
}

function readNumber({ kind, schema }: FormField, text: string): ReadField {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return { error: "has to be a number" };
  if (kind === "integer" && !Number.isInteger(value)) return { error: "has to be a whole number" };
  const { minimum, maximum, exclusiveMinimum } = schema;
  if (typeof minimum === "number" && value < minimum) return { error: `has to be at least ${minimum}` };
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return { error: `has to be more than ${exclusiveMinimum}` };
  if (typeof maximum === "number" && value > maximum) return { error: `has to be at most ${maximum}` };
  return { value };
}

function readText({ schema }: FormField, text: string): ReadField {
  const { minLength, maxLength } = schema;
  if (typeof minLength === "number" && text.length < minLength)
    return { error: `needs at least ${minLength} characters` };
  if (typeof maxLength === "number" && text.length > maxLength)
    return { error: `can have at most ${maxLength} characters` };
  return { value: text };
}

function readChoice({ schema, options }: FormField, text: string): ReadField {
  const constants = Array.isArray(schema.enum) ? schema.enum : options;
  const value = constants.find((option) => String(option) === text);
  return value === undefined ? { error: `has to be one of ${options.join(", ")}` } : { value };
}

function readJson(text: string): ReadField {
  try {
    const value: Json = JSON.parse(text);
    return { value };
  } catch {
    return { error: "has to be JSON" };
  }
}
