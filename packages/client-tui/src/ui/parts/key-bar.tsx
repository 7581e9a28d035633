import { Text } from "ink";
import type { ReactNode } from "react";
import { cutText, textWidth } from "../../display/plain-text.js";
import { useTheme } from "./theme.js";

const more = "? all keys";

/** The keys that mean something now, on one line: `Enter resume all · w watch`. */
export function KeyBar(props: {
  readonly keys: readonly string[];
  readonly columns: number;
  /** `?` lists all keys of this screen. */
  readonly listed: boolean;
}): ReactNode {
  const theme = useTheme();
  return <Text dimColor={theme.muted}>{keyLine(props.keys, props.columns, props.listed)}</Text>;
}

/** As many keys as fit whole; where some do not, the last words say how to see them all, or else the way back. */
export function keyLine(keys: readonly string[], columns: number, listed: boolean): string {
  const line = keys.join(" · ");
  if (textWidth(line) <= columns) return line;
  const [first, last] = listed ? [keys, more] : [keys.slice(0, -1), keys.at(-1) ?? ""];
  const lineOf = (count: number) => [...first.slice(0, count), last].join(" · ");
  const count = first.findLastIndex((_key, index) => textWidth(lineOf(index)) <= columns);
  return cutText(lineOf(Math.max(0, count)), columns);
}
