import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Otherwise a tool's text could repaint the terminal of its user. */
export { harmlessText, plainText } from "@resumable-mcp/protocol/display";

/** Characters that surely take one column: ASCII and the screens' own. Most texts have no others, and texts are measured often. */
const narrow = /^[ -~·…‹›←↑→↓▸─-▟]*$/;
const others = /[^ -~·…‹›←↑→↓▸─-▟]+/g;
/** Belongs to the character before it, whatever that is. */
const mark = /^\p{M}/u;
/** What a reader takes for one character, such as a flag or a letter with its accent, is never cut in two. */
const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Counts the terminal's columns that a plain text takes. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  // Measuring is a hundred times slower than counting: only what needs it is measured.
  let width = text.length;
  for (const part of text.match(others) ?? []) {
    if (mark.test(part)) return stringWidth(text);
    width += stringWidth(part) - part.length;
  }
  return width;
}

/** Cuts a plain text to at most so many columns, with a mark where it was cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns <= 1) return "…".slice(0, Math.max(0, columns));
  if (narrow.test(text)) return `${text.slice(0, columns - 1)}…`;
  let kept = "";
  let width = 0;
  for (const { segment } of characters.segment(text)) {
    width += textWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Cuts a plain text at its beginning: where one types, the end is what one looks at. */
export function cutStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const all = Array.from(characters.segment(text), ({ segment }) => segment);
  let width = 1;
  const from = all.findLastIndex((segment) => {
    width += textWidth(segment);
    return width > columns;
  });
  return `…${all.slice(from + 1).join("")}`;
}

/**
 * Breaks a plain text between its words, and within those that are longer than a line.
 *
 * What does not fit into so many lines is cut from the last of them. Lines stand in as far as the first.
 */
export function wrapText(text: string, columns: number, mostLines = Number.POSITIVE_INFINITY): readonly string[] {
  if (textWidth(text) <= columns) return [text];
  const indent = " ".repeat(text.length - text.trimStart().length);
  const room = Math.max(1, columns - indent.length);
  const lines = wrapAnsi(text.trim(), room, { hard: true }).split("\n");
  const last = mostLines - 1;
  const shown =
    lines.length <= mostLines ? lines : [...lines.slice(0, last), cutText(lines.slice(last).join(" "), room)];
  return shown.map((line) => indent + line);
}

/** Cuts or fills a plain text to exactly so many columns. */
export function fitText(text: string, columns: number): string {
  const cut = cutText(text, columns);
  return cut + " ".repeat(Math.max(0, columns - textWidth(cut)));
}

/** Says how many there are of something: `1 item`, `3 items`. */
export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
