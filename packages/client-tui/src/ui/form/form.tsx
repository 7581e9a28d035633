import type { JsonObject } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import { type ReactNode, useMemo } from "react";
import { cutText, plainText } from "../../display/plain-text.js";
import { useTheme } from "../../theme/theme-context.js";
import { visibleRange } from "../list-cursor.js";
import { useKeyState } from "../use-key-state.js";
import { formLines } from "./form-draft.js";
import type { FormField } from "./form-field.js";
import { type FormOutcome, type FormShape, type FormState, initialFormState, reduceForm } from "./form-state.js";

/** The keys of a form. */
export const formKeys = ["Enter send", "↑↓ field", "←→ choose, add, remove", "Esc back"];

/** Title, buttons, an empty line, and what is said of the field at the cursor. */
const frameRows = 4;

/** A form for the arguments of a tool, or for the answer to a question. */
export function Form(props: {
  readonly title: string;
  readonly shape: FormShape;
  readonly before?: JsonObject | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly onOutcome: (outcome: FormOutcome) => void;
}): ReactNode {
  const { title, shape, before, columns, rows, onOutcome } = props;
  const theme = useTheme();
  const state = useKeyState(
    (now, key) => reduceForm(now, key, shape),
    () => initialFormState(shape, before),
    onOutcome,
  );
  const { counts } = state;
  const lines = useMemo(() => formLines(shape.schema, { counts }), [shape, counts]);
  const { from, to } = visibleRange(Math.min(state.focus, lines.length - 1), lines.length, rows - frameRows);
  const width = Math.min(24, Math.max(0, ...lines.map(({ label, depth }) => plainText(label).length + 2 * depth)));
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(plainText(title), columns)}</Text>
      {lines.length === 0 ? <Text>Nothing to fill in.</Text> : null}
      {lines.slice(from, to).map((field, index) => {
        const color = state.errors[field.path] === undefined ? undefined : theme.error;
        return (
          <Text key={field.path} wrap="truncate" {...(color === undefined ? {} : { color })}>
            {cutText(fieldLine(field, state, { focused: from + index === state.focus, width }), columns)}
          </Text>
        );
      })}
      <Text wrap="truncate">{buttonLine(state, shape, state.focus >= lines.length)}</Text>
      <Text dimColor={theme.muted}>{cutText(plainText(hint(lines[state.focus], state)), columns)}</Text>
    </Box>
  );
}

/** The line of a field, which says everything without colour. */
export function fieldLine(
  field: FormField,
  state: Pick<FormState, "texts" | "counts" | "errors">,
  look: { readonly focused: boolean; readonly width: number },
): string {
  const error = state.errors[field.path];
  const label = cutText("  ".repeat(field.depth) + plainText(field.label), look.width).padEnd(look.width);
  const needed = field.required ? "*" : " ";
  const value = valueText(field, state, look.focused);
  return `${look.focused ? "▸" : " "} ${label}${needed} ${value}${error === undefined ? "" : `  ! ${error}`}`;
}

function valueText(field: FormField, { texts, counts }: Pick<FormState, "texts" | "counts">, focused: boolean): string {
  const text = plainText(texts[field.path] ?? "");
  switch (field.kind) {
    case "group":
      return "";
    case "list": {
      const count = counts[field.path] ?? 0;
      return `‹ ${count === 1 ? "1 entry" : `${count} entries`} ›`;
    }
    default:
      return field.options.length > 0 ? `‹ ${text === "" ? "none" : text} ›` : `${text}${focused ? "_" : ""}`;
  }
}

/** The buttons on one line; Enter presses the one in brackets, from every field. */
export function buttonLine(state: Pick<FormState, "button">, { buttons }: FormShape, focused: boolean): string {
  const shown = buttons.map(({ label }, index) => (index === state.button ? `[${label}]` : ` ${label} `));
  return `${focused ? "▸" : " "} ${shown.join(" ")}`;
}

function hint(field: FormField | undefined, { errors }: Pick<FormState, "errors">): string {
  const general = errors[""];
  if (field === undefined) return general ?? "←→ chooses what Enter does";
  const { description, kind } = field;
  const how = kind === "list" ? "→ adds an entry, ← takes the last away" : kind === "json" ? "as JSON" : "";
  return [general, description, how].filter((part) => part !== undefined && part !== "").join(" · ");
}
