import chalk, { type ForegroundColorName } from "chalk";
import { Text, Transform } from "ink";
import type { ReactNode } from "react";
import { cutText, fitText } from "../../display/plain-text.js";
import { leadMark, visibleRange } from "../keys/key-rules.js";
import type { ScreenSize } from "../navigation.js";

/** How a line looks; nothing depends on colour alone. */
export interface LineLook {
  readonly color?: ForegroundColorName | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly inverse?: boolean;
}

/**
 * One line of the screen. Its text is plain, and cut to the screen's columns.
 *
 * The drawing library measures every text that it lays out, character by character, and keeps all that it ever
 * measured: a list that moves would grow for as long as it is open. So it lays out a space, which never changes, and
 * the line takes its place when the frame is put together.
 */
export function Line({ text, ...look }: LineLook & { readonly text: string }): ReactNode {
  return <Transform transform={() => paint(text, look)}> </Transform>;
}

function paint(text: string, { color, bold = false, dim = false, inverse = false }: LineLook): string {
  let painter = color === undefined ? chalk : chalk[color];
  if (bold) painter = painter.bold;
  if (dim) painter = painter.dim;
  return inverse ? painter.inverse(text) : painter(text);
}

/** The entries of a list that fit, with the one at the cursor always among them. */
export function Entries(
  props: ScreenSize & {
    readonly texts: readonly string[];
    readonly cursor: number;
    readonly color?: ForegroundColorName;
    /** The entry at the cursor is marked over all columns. */
    readonly wide?: boolean;
  },
): ReactNode {
  const { texts, cursor, columns, rows, color, wide = false } = props;
  const range = visibleRange(cursor, texts.length, rows);
  return texts.slice(range.from, range.to).map((text, offset) => {
    const index = range.from + offset;
    const line = `${leadMark(index, cursor, range, texts.length)} ${text}`;
    return (
      <Text key={index} inverse={index === cursor} color={color}>
        {wide ? fitText(line, columns) : cutText(line, columns)}
      </Text>
    );
  });
}
