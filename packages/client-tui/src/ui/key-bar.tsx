import { Text } from "ink";
import type { ReactNode } from "react";
import { cutText } from "../display/plain-text.js";
import { useTheme } from "../theme/theme-context.js";

/** The keys that mean something now, on one line: `Enter resume all · w watch`. */
export function KeyBar({ keys, columns }: { readonly keys: readonly string[]; readonly columns: number }): ReactNode {
  const theme = useTheme();
  return <Text dimColor={theme.muted}>{cutText(keys.join(" · "), columns)}</Text>;
}
