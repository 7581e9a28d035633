import { stripVTControlCharacters } from "node:util";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const control = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/**
 * Makes one harmless line of a text that a server sent: no colours, no cursor movements, no line breaks.
 *
 * Whoever wrote a tool could otherwise repaint the terminal of its user.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(control, " ").replaceAll(/ {2,}/g, " ").trim();
}

/** Texts of which every character surely takes one column; most are, and they are measured often. */
const narrow = /^[\u0020-\u007e\u2026\u2500-\u259f]*$/;

/** Counts the terminal's columns that a plain text takes. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : 1;
  return width;
}

/** Cuts a plain text to at most so many columns, with a mark where it was cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (narrow.test(text) && columns > 1) return `${text.slice(0, columns - 1)}…`;
  if (columns <= 1) return "…".slice(0, Math.max(0, columns));
  let kept = "";
  let width = 0;
  for (const character of text) {
    width += wide.test(character) ? 2 : 1;
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Breaks a plain text into lines of at most so many columns, wherever that falls. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const character of text) {
    const own = textWidth(character);
    if (width + own > columns) {
      lines.push(line);
      line = "";
      width = 0;
    }
    line += character;
    width += own;
  }
  return [...lines, line];
}

/** Cuts or fills a plain text to exactly so many columns. */
export function fitText(text: string, columns: number): string {
  const cut = cutText(text, columns);
  return cut + " ".repeat(Math.max(0, columns - textWidth(cut)));
}
