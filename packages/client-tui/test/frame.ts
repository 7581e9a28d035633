import stringWidth from "string-width";
import { expect } from "vitest";
import type { ScreenSize } from "../src/ui/navigation.js";

/** What stands on a screen of a size, as a test shows it to its reader. */
export interface Frame extends ScreenSize {
  readonly lines: readonly string[];
}

/** Empty lines in a row that a picture counts in place of showing them. */
const countedLines = 3;

/** Makes a frame of what was drawn; what the terminal would have wrapped or scrolled away is an error. */
export function frameOf(drawn: string, { columns, rows }: ScreenSize): Frame {
  const lines = drawn.split("\n").map((line) => line.trimEnd());
  const wide = lines.filter((line) => stringWidth(line) > columns);
  if (wide.length > 0) throw new Error(`These lines take more than ${columns} columns:\n${wide.join("\n")}`);
  if (lines.length > rows) throw new Error(`These are more than ${rows} lines:\n${drawn}`);
  return { lines, columns, rows };
}

/** A frame as text: its size, and its lines behind a bar. */
function pictureOf({ lines, columns, rows }: Frame): string {
  const shown: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const next = lines.findIndex((line, at) => at >= index && line !== "");
    const empty = (next < 0 ? lines.length : next) - index;
    if (empty >= countedLines) shown.push(`⋮ ${empty} empty lines`);
    const taken = empty >= countedLines ? empty : 1;
    if (taken === 1) shown.push(`│${lines[index] ?? ""}`);
    index += taken;
  }
  return [`${columns}×${rows}`, ...shown].join("\n");
}

expect.addSnapshotSerializer({
  test: (value) => typeof value === "object" && value !== null && "lines" in value && "columns" in value,
  serialize: (value) => pictureOf(value as Frame),
});
