import chalk, { type ForegroundColorName } from "chalk";
import { Transform } from "ink";
import type { ReactNode } from "react";

/** How a line looks. */
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
