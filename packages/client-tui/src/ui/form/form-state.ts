import type { JsonObject } from "@resumable-mcp/client";
import type { KeyPress } from "../keys/key-press.js";
import { nextValue, withTyped } from "../keys/key-rules.js";
import type { KeyStep } from "../keys/use-key-state.js";
import { type FormDraft, fill, formLines, initialDraft, maxListEntries, readForm } from "./form-draft.js";
import { type FormField, fieldOfEntry } from "./form-field.js";

/** What stands in a form, and where the user is in it. */
export interface FormState extends FormDraft {
  /** The line at which the cursor stands; the one after the last is that of the buttons. */
  readonly focus: number;
  readonly button: number;
  /** What is wrong, by path: of fields that were left, and of all after the first attempt to send. */
  readonly errors: Readonly<Record<string, string>>;
  readonly touched: ReadonlySet<string>;
  readonly tried: boolean;
  /** Fields in which the user has typed: in the others typing replaces what was filled in for them. */
  readonly edited: ReadonlySet<string>;
}

/** A way to leave a form; one that sends needs all fields to be right. */
export interface FormButton {
  readonly id: string;
  readonly label: string;
  readonly sends: boolean;
}

/** What the user wants with a form. */
export type FormOutcome =
  | { readonly type: "press"; readonly button: string; readonly values: JsonObject }
  | { readonly type: "back" };

/** Something in a form that can be clicked: the field on a line, or a button. */
export type FormPlace = { readonly field: number } | { readonly button: number };

/** What a form is made from. */
export interface FormShape {
  readonly schema: JsonObject;
  readonly buttons: readonly FormButton[];
}

/** A form as it is first seen. */
export function initialFormState({ schema }: FormShape, before?: JsonObject): FormState {
  const draft = initialDraft(schema, before);
  const first = formLines(schema, draft).findIndex(({ kind }) => kind !== "group");
  return {
    ...draft,
    focus: Math.max(0, first),
    button: 0,
    errors: {},
    touched: new Set(),
    tried: false,
    edited: new Set(),
  };
}

/** Fills in a form: Enter presses the chosen button, or goes to the first field that is wrong. */
export function reduceForm(state: FormState, key: KeyPress, shape: FormShape): KeyStep<FormState, FormOutcome> {
  if (key.name === "escape") return { state, outcome: { type: "back" } };
  const lines = formLines(shape.schema, state);
  if (key.name === "enter") return press(state, lines, shape);
  const moved = moveFocus(state, key, lines);
  if (moved !== undefined) return { state: check(moved, lines, shape) };
  const field = lines[state.focus];
  if (field === undefined) {
    const indexes = [...shape.buttons.keys()];
    return { state: { ...state, button: nextValue(indexes, state.button, sideways(key)) } };
  }
  return { state: check(edit(state, field, key, shape), lines, shape) };
}

/** Goes to a field that was clicked, and presses a button as Enter does. */
export function clickForm(state: FormState, place: FormPlace, shape: FormShape): KeyStep<FormState, FormOutcome> {
  const lines = formLines(shape.schema, state);
  if ("button" in place) return press({ ...state, button: place.button }, lines, shape);
  // A group has nothing to fill in itself.
  if (lines[place.field]?.kind === "group") return { state };
  return { state: check({ ...state, touched: withLeft(state, lines), focus: place.field }, lines, shape) };
}

/** The fields that were left, and the one that is left now. */
function withLeft({ touched, focus }: FormState, lines: readonly FormField[]): ReadonlySet<string> {
  const left = lines[focus]?.path;
  return left === undefined ? touched : new Set([...touched, left]);
}

function moveFocus(state: FormState, key: KeyPress, lines: readonly FormField[]): FormState | undefined {
  const by = key.name === "up" || key.name === "backtab" ? -1 : key.name === "down" || key.name === "tab" ? 1 : 0;
  if (by === 0) return undefined;
  const touched = withLeft(state, lines);
  let focus = Math.max(0, Math.min(lines.length, state.focus + by));
  // A group has nothing to fill in itself.
  while (lines[focus]?.kind === "group" && focus + by >= 0) focus += by;
  return { ...state, touched, focus: lines[focus]?.kind === "group" ? state.focus : focus };
}

/** Errors are shown for fields that were edited and left; for all fields after the first attempt to send. */
function check(state: FormState, lines: readonly FormField[], { schema }: FormShape): FormState {
  const { errors } = readForm(schema, state);
  const here = lines[state.focus]?.path;
  const shown = Object.entries(errors).filter(([path, text]) => {
    if (state.tried || (state.touched.has(path) && path !== here)) return true;
    return path === here && text !== "is required" && state.texts[path] !== "-";
  });
  return { ...state, errors: Object.fromEntries(shown) };
}

function edit(state: FormState, field: FormField, key: KeyPress, { schema }: FormShape): FormState {
  if (field.kind === "list") return resize(state, field, key, schema);
  if (field.kind === "group") return state;
  const text = state.texts[field.path] ?? "";
  if (field.options.length > 0) return { ...state, texts: { ...state.texts, [field.path]: choose(field, text, key) } };
  const types = (key.paste ?? key.text) !== "";
  if (!types && key.name !== "backspace") return state;
  const next = withTyped(types && !state.edited.has(field.path) ? "" : text, key);
  return {
    ...state,
    edited: new Set([...state.edited, field.path]),
    texts: { ...state.texts, [field.path]: next },
  };
}

/** Where a key goes among things that stand next to each other. */
function sideways({ name, text }: KeyPress): number {
  return name === "right" || text === " " ? 1 : name === "left" ? -1 : 0;
}

/** Adds an entry at the end of a list, or takes the last one away. */
function resize(state: FormState, field: FormField, key: KeyPress, root: JsonObject): FormState {
  const count = state.counts[field.path] ?? 0;
  const by = key.text === "+" ? 1 : key.text === "-" || key.name === "backspace" ? -1 : sideways(key);
  const next = Math.max(0, Math.min(maxListEntries, count + by));
  const counted = { ...state, counts: { ...state.counts, [field.path]: next } };
  return next > count ? { ...counted, ...fill(counted, fieldOfEntry(field, count, root), undefined, root) } : counted;
}

/** Goes through the options, or to the one that begins with what is typed; an optional field can be left empty. */
function choose({ options, required }: FormField, text: string, key: KeyPress): string {
  const labels = options.map(({ label }) => label);
  const by = sideways(key);
  if (by === 0) return (key.text !== "" && labels.find((label) => label.startsWith(key.text))) || text;
  const all = required ? labels : ["", ...labels];
  // From a text that is none of them, the first comes next, and the last before it.
  return all.includes(text) ? nextValue(all, text, by) : (all.at(by > 0 ? 0 : -1) ?? text);
}

function press(state: FormState, lines: readonly FormField[], shape: FormShape): KeyStep<FormState, FormOutcome> {
  const button = shape.buttons[state.button];
  if (button === undefined) return { state };
  if (!button.sends) return { state, outcome: { type: "press", button: button.id, values: {} } };
  const { values, errors } = readForm(shape.schema, state);
  if (Object.keys(errors).length === 0)
    return { state: { ...state, errors }, outcome: { type: "press", button: button.id, values } };
  const wrong = lines.findIndex(({ path }) => path in errors);
  return { state: { ...state, errors, tried: true, focus: wrong < 0 ? state.focus : wrong } };
}
