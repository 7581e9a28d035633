import type { JsonObject } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { useKeyState } from "../keys/use-key-state.js";
import { useTheme } from "../parts/theme.js";
import { type FormOutcome, type FormShape, initialFormState, reduceForm } from "./form-state.js";
import { formView } from "./form-view.js";

/** The keys of a form. */
export const formKeys = ["Enter send", "↑↓ field", "←→ choose, add, remove", "Esc back"];

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
  const view = formView(state, shape, { title, columns, rows });
  return (
    <Box flexDirection="column">
      <Text bold>{view.heading.join("\n")}</Text>
      {view.fields.length === 0 ? <Text>Nothing to fill in.</Text> : null}
      {view.fields.map(({ path, text, wrong }) => (
        <Text key={path} color={wrong ? theme.error : undefined}>
          {text}
        </Text>
      ))}
      <Text>{view.buttons}</Text>
      <Text dimColor={theme.muted}>{view.help.join("\n")}</Text>
    </Box>
  );
}
