import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, harmlessText, plainText, wrapText } from "../../display/plain-text.js";
import type { KeyPress } from "../keys/key-press.js";
import { isLeaving, moveCursor } from "../keys/key-rules.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import type { ScreenSize } from "../navigation.js";

/** The keys of a page of text. */
export const textPageKeys = ["↑↓ scroll", "Esc back"];

/** Scrolls down to `last`, or leaves. */
export function reducePage(top: number, key: KeyPress, last: number): KeyStep<number, "back"> {
  if (isLeaving(key) || key.name === "enter") return { state: top, outcome: "back" };
  return { state: moveCursor(top, key, last + 1) };
}

/** Lines of text that can be scrolled. */
export function TextPage(
  props: ScreenSize & { readonly title: string; readonly lines: readonly string[]; readonly onBack: () => void },
): ReactNode {
  const { title, lines, columns, rows, onBack } = props;
  const wrapped = lines.flatMap((line) => wrapText(harmlessText(line), columns));
  const room = rows - 1;
  const last = Math.max(0, wrapped.length - room);
  const scrolled = useKeyState((state: number, key) => reducePage(state, key, last), 0, onBack);
  // What did not fit may fit after a resize.
  const top = Math.min(scrolled, last);
  const shown = wrapped.slice(top, top + room);
  const where = last === 0 ? "" : `  ${top + 1}-${top + shown.length} of ${wrapped.length}`;
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(plainText(title), columns - where.length) + where}</Text>
      <Text>{shown.join("\n")}</Text>
    </Box>
  );
}
