import type { JsonObject } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { always, useKeyState } from "../keys/use-key-state.js";
import type { ScreenSize } from "../navigation.js";
import { type FormOutcome, type FormShape, initialFormState, reduceForm } from "./form-state.js";
import { formView } from "./form-view.js";

/** The keys of a form. */
export const formKeys = ["Enter send", "↑↓ field", "←→ choose, add, remove", "Esc back"];

/** A form for the arguments of a tool, or for the answer to a question. */
export function Form(
  props: ScreenSize & {
    readonly title: string;
    readonly shape: FormShape;
    readonly before?: JsonObject | undefined;
    readonly onOutcome: (outcome: FormOutcome) => void;
  },
): ReactNode {
  const { shape, before, onOutcome } = props;
  const state = useKeyState(
    (now, key) => reduceForm(now, key, shape),
    () => initialFormState(shape, before),
    onOutcome,
    always,
  );
  const view = formView(state, shape, props);
  return (
    <Box flexDirection="column">
      <Text bold>{view.heading.join("\n")}</Text>
      {view.fields.length === 0 ? <Text>Nothing to fill in.</Text> : null}
      {view.fields.map(({ path, text, wrong }) => (
        <Text key={path} color={wrong ? "red" : undefined}>
          {text}
        </Text>
      ))}
      <Text>{view.buttons}</Text>
      <Text dimColor>{view.help.join("\n")}</Text>
    </Box>
  );
}
