import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText } from "../../display/plain-text.js";
import { leadMark, visibleRange } from "../keys/list-cursor.js";
import { useKeyState } from "../keys/use-key-state.js";
import { useTheme } from "../parts/theme-context.js";
import { type MenuItem, type MenuOutcome, reduceMenu } from "./menu-state.js";

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
          <Text key={key} inverse={index === cursor} {...(theme.accent === undefined ? {} : { color: theme.accent })}>
            {cutText(`${leadMark(index, cursor, range)} ${key} ${label}`, columns)}
          </Text>
        );
      })}
    </Box>
  );
}
