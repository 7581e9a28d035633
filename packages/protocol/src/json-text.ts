import type { Json } from "@resumable-mcp/core";

/** The value of a JSON text; `undefined` where it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A value of a message as text. `String` calls what a sender wrote into `toString`, and throws where that cannot be called. */
export function toText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** How deep the arrays and objects of a message may nest, besides the message itself. */
const maxJsonDepth = 64;

/** The end of a sentence about a message that nests too deep. */
export const tooDeep = `nests deeper than maxJsonDepth = ${maxJsonDepth}`;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Space is the last of the characters that JSON allows between values. */
const space = 0x20;

/**
 * Finds what makes a text of JSON cost more than its size, before it is parsed: the end of a sentence about the message,
 * or `undefined`. One pass over the text, which makes no copy. Of a text that is not JSON the result means nothing.
 *
 * Each value costs far more than its characters once it is parsed, and each level of nesting a frame of the stack of what
 * recurses.
 *
 * Limits: `maxJsonDepth`; `maxValues`, in which keys count as values.
 */
export function problemOfJson(text: string, maxValues: number = Number.POSITIVE_INFINITY): string | undefined {
  let values = 0;
  let depth = 0;
  let isInScalar = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === openList || code === openObject) {
      depth += 1;
      if (depth > maxJsonDepth + 1) return tooDeep;
    }
    const isBetween = code <= space || code === comma || code === colon;
    if (isBetween || code === closeList || code === closeObject) {
      if (!isBetween) depth -= 1;
      isInScalar = false;
      continue;
    }
    if (isInScalar) continue;
    values += 1;
    if (values > maxValues) return `has more than maxJsonValues = ${maxValues} values and keys`;
    if (code === quote) at = endOfString(text, at);
    else isInScalar = code !== openList && code !== openObject;
  }
  return undefined;
}

/** The place of the quote that ends the string that begins at a place. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}
