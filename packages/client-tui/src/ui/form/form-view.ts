import {
  countText,
  cutStart,
  cutText,
  fitText,
  harmlessText,
  plainText,
  textWidth,
  wrapText,
} from "../../display/plain-text.js";
import { leadMark, visibleRange } from "../keys/key-rules.js";
import type { ScreenSize } from "../navigation.js";
import { formLines } from "./form-draft.js";
import type { FormField } from "./form-field.js";
import type { FormPlace, FormShape, FormState } from "./form-state.js";

/** Most columns of the field names. */
const mostLabelColumns = 24;
/** Least columns of a value when an error follows it. */
const leastValueColumns = 8;
/** The cursor and a space before a field's name, and behind it the mark that it is needed and a space. */
const leadColumns = 4;

/** Lays a form out: the fields get the most of a low screen, but a question is read before it is answered. */
export function formView(state: FormState, shape: FormShape, place: ScreenSize & { readonly title: string }) {
  const { title, columns, rows } = place;
  const fields = formLines(shape.schema, state);
  const names = labelColumns(fields, columns);
  // What the fields leave, with a line each for buttons and help; a third of the screen where they would leave less.
  const headingRows = Math.max(1, Math.floor(rows / 3), rows - fields.length - 2);
  const heading = wrapText(plainText(title), columns, headingRows);
  const helpLine = helpText(fields[state.focus], state, columns - names);
  const help = wrapText(plainText(helpLine), columns, Math.max(1, Math.floor(rows / 5)));
  const room = rows - heading.length - 1 - help.length;
  const range = visibleRange(Math.min(state.focus, fields.length - 1), fields.length, room);
  const lines = fields.slice(range.from, range.to).map((field, offset) => {
    const index = range.from + offset;
    const mark = leadMark(index, state.focus, range, fields.length);
    const text = fieldLine(field, state, { mark, focused: index === state.focus, names, columns });
    return { path: field.path, text, wrong: state.errors[field.path] !== undefined };
  });
  const buttons = cutText(buttonLine(state, shape, state.focus >= fields.length), columns);
  return { heading, fields: lines, buttons, help, range };
}

/** What is under a place of a form as it was drawn: a field's line, or the button between these columns. */
export function formPlaceAt(
  view: ReturnType<typeof formView>,
  { buttons }: FormShape,
  { row, column }: { readonly row: number; readonly column: number },
): FormPlace | undefined {
  // Where nothing is to be filled in, a line says so.
  const [first, count] = [view.heading.length, Math.max(1, view.fields.length)];
  const line = row - first;
  if (line >= 0 && line < view.fields.length) return { field: view.range.from + line };
  if (line !== count) return undefined;
  const ends = buttonEnds(buttons);
  const button = column < leadOfButtons ? -1 : ends.findIndex((end) => column < end);
  return button < 0 ? undefined : { button };
}

function labelColumns(fields: readonly FormField[], columns: number): number {
  const widths = fields.map(({ label, depth }) => textWidth(plainText(label)) + 2 * depth);
  return Math.min(mostLabelColumns, Math.floor(columns / 3), Math.max(0, ...widths));
}

/** Of a value that is typed the end is seen. */
function fieldLine(
  field: FormField,
  state: FormState,
  look: { readonly mark: string; readonly focused: boolean; readonly names: number; readonly columns: number },
): string {
  const { mark, focused, names, columns } = look;
  const label = fitText("  ".repeat(field.depth) + plainText(field.label), names);
  const wrong = wrongText(state.errors[field.path]);
  const room = Math.max(leastValueColumns, columns - names - leadColumns - textWidth(wrong));
  const value = valueText(field, state, focused);
  const shown = focused ? cutStart(value, room) : cutText(value, room);
  return cutText(`${mark} ${label}${field.required ? "*" : " "} ${shown}${wrong}`, columns).trimEnd();
}

function wrongText(error: string | undefined): string {
  return error === undefined ? "" : `  ! ${plainText(error)}`;
}

function valueText(field: FormField, { texts, counts }: FormState, focused: boolean): string {
  if (field.kind === "group") return "";
  if (field.kind === "list") return `‹ ${countText(counts[field.path] ?? 0, "entry", "entries")} ›`;
  const text = harmlessText(texts[field.path] ?? "");
  return field.options.length > 0 ? `‹ ${text === "" ? "none" : text} ›` : `${text}${focused ? "_" : ""}`;
}

/** The cursor and a space before the first button. */
const leadOfButtons = 2;

/** The column behind each button; between two of them is a space. */
function buttonEnds(buttons: FormShape["buttons"]): readonly number[] {
  let end = leadOfButtons - 1;
  return buttons.map(({ label }) => {
    end += textWidth(label) + 3;
    return end;
  });
}

/** The buttons on one line; Enter presses the one in brackets, from every field. */
function buttonLine({ button }: FormState, { buttons }: FormShape, focused: boolean): string {
  const shown = buttons.map(({ label }, index) => (index === button ? `[${label}]` : ` ${label} `));
  return `${focused ? "▸" : " "} ${shown.join(" ")}`;
}

/** What is said of the field at the cursor, beginning with what is wrong where its line has no room for that. */
function helpText(field: FormField | undefined, state: FormState, room: number): string {
  const { errors } = state;
  const general = errors[""];
  if (field === undefined) return general ?? "←→ chooses what Enter does";
  const wrong = wrongText(errors[field.path]);
  const untold = textWidth(wrong) + leadColumns + leastValueColumns > room ? wrong : "";
  const parts = [untold, general ?? "", field.description ?? "", howTo(field), replacedText(field, state)];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Said while a field still has what was filled in for the user. */
function replacedText({ path, kind, options }: FormField, { texts, edited }: FormState): string {
  const isTyped = kind !== "list" && kind !== "group" && options.length === 0;
  return isTyped && (texts[path] ?? "") !== "" && !edited.has(path) ? "typing replaces it" : "";
}

function howTo({ kind, options }: FormField): string {
  if (kind === "list") return "→ adds an entry, ← takes the last away";
  if (kind === "json") return "as JSON";
  return options.length > 0 ? "←→ chooses" : "";
}
