import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { wrapText } from "../display/plain-text.js";
import { moveCursor } from "./list-cursor.js";
import { useKeyState } from "./use-key-state.js";

/** The keys of a page of text. */
export const textPageKeys = ["↑↓ scroll", "Esc back"];

/** Lines of text that can be scrolled. */
export function TextPage(props: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly columns: number;
  readonly rows: number;
  readonly onBack: () => void;
}): ReactNode {
  const { title, lines, columns, rows, onBack } = props;
  const wrapped = lines.flatMap((line) => wrapText(line, columns));
  const top = useKeyState(
    (state: number, key) => {
      if (key.name === "escape" || key.name === "enter" || key.text === "q") return { state, outcome: "back" };
      return { state: moveCursor(state, key, Math.max(1, wrapped.length - (rows - 2))) };
    },
    0,
    onBack,
  );
  return (
    <Box flexDirection="column">
      <Text bold>{title}</Text>
      {wrapped.slice(top, top + rows - 1).map((line, index) => (
        <Text key={top + index}>{line || " "}</Text>
      ))}
    </Box>
  );
}
