import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, plainText } from "../../display/plain-text.js";
import { useTheme } from "../../theme/theme-context.js";
import { visibleRange } from "../list-cursor.js";
import { useKeyState } from "../use-key-state.js";
import type { FormField } from "./form-field.js";
import { type FormOutcome, initialFormState, reduceForm } from "./form-state.js";

/** The keys of a form. */
export const formKeys = ["Enter send", "↑↓ field", "←→ choose", "Esc back"];

/** A form for the arguments of a tool, or for the answer to a question. */
export function Form(props: {
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly columns: number;
  readonly rows: number;
  readonly onOutcome: (outcome: FormOutcome) => void;
}): ReactNode {
  const { title, fields, columns, rows, onOutcome } = props;
  const theme = useTheme();
  const { focus, texts, errors } = useKeyState(
    (state, key) => reduceForm(state, key, fields),
    () => initialFormState(fields),
    onOutcome,
  );
  const { from, to } = visibleRange(focus, fields.length, rows - 4);
  const width = Math.min(24, Math.max(0, ...fields.map(({ label }) => plainText(label).length)));
  const focused = fields[focus];
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(plainText(title), columns)}</Text>
      {fields.length === 0 ? <Text>Nothing to fill in.</Text> : null}
      {fields.slice(from, to).map((field, index) => {
        const wrong = errors[field.key];
        const color = wrong === undefined ? undefined : theme.error;
        return (
          <Text key={field.key} {...(color === undefined ? {} : { color })}>
            {cutText(
              fieldLine(field, texts[field.key] ?? "", { focused: from + index === focus, wrong, width }),
              columns,
            )}
          </Text>
        );
      })}
      <Text> </Text>
      <Text dimColor={theme.muted}>{cutText(plainText(focused?.description ?? ""), columns)}</Text>
    </Box>
  );
}

/** The line of a field, which says everything without colour. */
export function fieldLine(
  field: FormField,
  text: string,
  look: { readonly focused: boolean; readonly wrong: string | undefined; readonly width: number },
): string {
  const label = cutText(plainText(field.label), look.width).padEnd(look.width);
  const shown = plainText(text);
  const value =
    field.options.length > 0 ? `‹ ${shown === "" ? "none" : shown} ›` : `${shown}${look.focused ? "_" : ""}`;
  const needed = field.required ? "*" : " ";
  return `${look.focused ? "▸" : " "} ${label}${needed} ${value}${look.wrong === undefined ? "" : `  ! ${look.wrong}`}`;
}
