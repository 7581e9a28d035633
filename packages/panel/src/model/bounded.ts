import type { Json } from "@resumable-mcp/protocol";
import { harmlessText, plainText } from "@resumable-mcp/protocol/display";

/** Characters of one line, and of a text of several lines, that are shown before the user asks for more. */
export const maxLineCharacters = 300;
export const maxTextCharacters = 4_000;
/** Characters of one text that are shown at most. */
export const maxShownCharacters = 100_000;

/** One harmless line of at most so many characters. */
export function lineText(text: string, most = maxLineCharacters): string {
  // What does not fit is not read at all: a text may have millions of characters.
  const line = plainText(text.slice(0, most * 4 + 1));
  return line.length > most || text.length > most * 4 ? `${cut(line, most - 1)}…` : line;
}

/** A harmless text that keeps its lines, and how many characters of it are left out. */
export function bodyText(text: string, most = maxTextCharacters): { readonly text: string; readonly left: number } {
  const kept = cut(text, most);
  const shown = kept
    .split(/\r\n|[\r\n]/)
    .map(harmlessText)
    .join("\n");
  return { text: shown, left: text.length - kept.length };
}

/** Cuts between characters: half of a pair would be shown as a question mark. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** A value as one line: a text as it is, all else as JSON of which only the beginning is written. */
export function valueLine(value: Json, most = maxLineCharacters): string {
  if (typeof value === "string") return lineText(value, most);
  // A value that counts as eight characters takes three of the line at least.
  const kept = JSON.stringify(boundedJson(value, most * 4), null, 1);
  return lineText(kept.replaceAll(/(?<=[[{])\n *|\n *(?=[\]}])/g, "").replaceAll(/\n */g, " "), most);
}

/** A copy of a value with so many characters of its texts and so many values at most: what is behind is left out. */
export function boundedJson(value: Json, most: number): Json {
  let left = most;
  const copy = (part: Json, depth: number): Json => {
    left -= 8;
    if (typeof part === "string") {
      const text = cut(part, Math.max(0, left));
      left -= text.length;
      return text;
    }
    if (typeof part !== "object" || part === null) return part;
    if (depth > 8) return "…";
    if (Array.isArray(part)) {
      const items: Json[] = [];
      for (const item of part) if (left > 0) items.push(copy(item, depth + 1));
      return items;
    }
    const entries: [string, Json][] = [];
    for (const [key, entry] of Object.entries(part))
      if (left > 0) entries.push([cut(key, 100), copy(entry, depth + 1)]);
    return Object.fromEntries(entries);
  };
  return copy(value, 0);
}
