import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { useTheme } from "../../theme/theme-context.js";
import { useKeyState } from "../use-key-state.js";
import { type MenuItem, reduceMenu } from "./menu-state.js";

/** A menu of entries with their keys. */
export function Menu(props: {
  readonly items: readonly MenuItem[];
  readonly onChoose: (key: string) => void;
}): ReactNode {
  const { items, onChoose } = props;
  const theme = useTheme();
  const { cursor } = useKeyState((state, key) => reduceMenu(state, key, items), { cursor: 0 }, onChoose);
  return (
    <Box flexDirection="column">
      {items.map((item, index) => (
        <Text
          key={item.key}
          inverse={index === cursor}
          {...(theme.accent === undefined ? {} : { color: theme.accent })}
        >
          {index === cursor ? "▸" : " "} {item.key} {item.label}
        </Text>
      ))}
    </Box>
  );
}
