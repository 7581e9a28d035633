import type { JsonObject } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import { type ReactNode, useRef } from "react";
import { titleRows } from "../keys/use-clicks.js";
import { always, useKeyState } from "../keys/use-key-state.js";
import type { ScreenSize } from "../navigation.js";
import { clickForm, type FormOutcome, type FormShape, initialFormState, reduceForm } from "./form-state.js";
import { formPlaceAt, formView } from "./form-view.js";

/** The keys of a form. */
export const formKeys = ["Enter send", "↑↓ field", "←→ choose, add, remove", "Esc back"];

/** A form for the arguments of a tool, or for the answer to a question. */
export function Form(
  props: ScreenSize & {
    readonly title: string;
    readonly shape: FormShape;
    readonly before?: JsonObject | undefined;
    /** Lines between the title of the program and the form. */
    readonly above?: number;
    readonly onOutcome: (outcome: FormOutcome) => void;
  },
): ReactNode {
  const { shape, before, above = 0, onOutcome } = props;
  // A click means what the user saw under it.
  const drawn = useRef<ReturnType<typeof formView>>(undefined);
  const state = useKeyState(
    (now, key) => {
      if (key.click === undefined) return reduceForm(now, key, shape);
      const { row, column } = key.click;
      const place = drawn.current && formPlaceAt(drawn.current, shape, { row: row - titleRows - above, column });
      return place === undefined ? { state: now } : clickForm(now, place, shape);
    },
    () => initialFormState(shape, before),
    onOutcome,
    always,
  );
  const view = formView(state, shape, props);
  drawn.current = view;
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
