import stringWidth from "string-width";
import { expect } from "vitest";
import type { ScreenSize } from "../src/ui/navigation.js";

/** What stands on a screen of a size, as a test shows it to its reader. */
export interface Frame extends ScreenSize {
  readonly lines: readonly string[];
}

/** Empty or equal lines in a row that a picture counts in place of showing them. */
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
    const line = lines[index] ?? "";
    const next = lines.findIndex((other, at) => at >= index && other !== line);
    const equal = (next < 0 ? lines.length : next) - index;
    const counted = equal >= countedLines;
    if (counted) shown.push(line === "" ? `⋮ ${equal} empty lines` : `│${line}\n⋮ ${equal - 1} more such lines`);
    else shown.push(`│${line}`);
    index += counted ? equal : 1;
  }
  return [`${columns}×${rows}`, ...shown].join("\n");
}

const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && "lines" in value && "columns" in value;

expect.addSnapshotSerializer({ test: isFrame, serialize: pictureOf });

/** The same screen at several sizes. */
expect.addSnapshotSerializer({
  test: (value) => Array.isArray(value) && value.length > 0 && value.every(isFrame),
  serialize: (frames: readonly Frame[]) => frames.map(pictureOf).join("\n\n"),
});
