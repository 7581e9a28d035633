import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText } from "../display/plain-text.js";
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
  const top = useKeyState(
    (state: number, key) => {
      if (key.name === "escape" || key.name === "enter" || key.text === "q") return { state, outcome: "back" };
      const by = key.name === "up" ? -1 : key.name === "down" ? 1 : 0;
      return { state: Math.max(0, Math.min(state + by, lines.length - (rows - 1))) };
    },
    0,
    onBack,
  );
  return (
    <Box flexDirection="column">
      <Text bold>{title}</Text>
      {lines.slice(top, top + rows - 1).map((line, index) => (
        <Text key={top + index}>{cutText(line, columns) || " "}</Text>
      ))}
    </Box>
  );
}
