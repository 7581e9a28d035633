import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText } from "../../display/plain-text.js";
import type { KeyPress } from "../keys/key-press.js";
import { leadMark, moveCursor, visibleRange } from "../keys/list-cursor.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import { useTheme } from "../parts/theme.js";

/** One entry of a menu, reached by its key or by the cursor. */
export interface MenuItem {
  readonly key: string;
  /** A second key that does the same. */
  readonly letter?: string;
  readonly label: string;
}

/** Where the cursor of a menu stands. */
export interface MenuState {
  readonly cursor: number;
}

/** What a key means in a menu: the key of an entry, or a text that no entry has. */
export type MenuOutcome =
  | { readonly type: "chosen"; readonly key: string }
  | { readonly type: "unknown"; readonly text: string };

/** Moves through a menu and says what was typed. */
export function reduceMenu(
  state: MenuState,
  key: KeyPress,
  items: readonly MenuItem[],
): KeyStep<MenuState, MenuOutcome> {
  const cursor = moveCursor(state.cursor, key, items.length);
  const chosen =
    key.name === "enter"
      ? items[cursor]
      : items.find((item) => key.text !== "" && [item.key, item.letter].includes(key.text));
  if (chosen !== undefined)
    return { state: { cursor: items.indexOf(chosen) }, outcome: { type: "chosen", key: chosen.key } };
  const { text } = key;
  return { state: { cursor }, ...(text === "" ? {} : { outcome: { type: "unknown", text } }) };
}

/** A menu of entries with their keys; on a low screen it scrolls. */
export function Menu(props: {
  readonly items: readonly MenuItem[];
  readonly columns: number;
  readonly rows: number;
  readonly onOutcome: (outcome: MenuOutcome) => void;
}): ReactNode {
  const { items, columns, rows, onOutcome } = props;
  const theme = useTheme();
  const { cursor } = useKeyState((state, key) => reduceMenu(state, key, items), { cursor: 0 }, onOutcome);
  const range = { ...visibleRange(cursor, items.length, rows), count: items.length };
  return (
    <Box flexDirection="column">
      {items.slice(range.from, range.to).map(({ key, label }, offset) => {
        const index = range.from + offset;
        return (
          <Text key={key} inverse={index === cursor} color={theme.accent}>
            {cutText(`${leadMark(index, cursor, range)} ${key} ${label}`, columns)}
          </Text>
        );
      })}
    </Box>
  );
}
