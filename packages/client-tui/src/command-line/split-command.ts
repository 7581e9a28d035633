import { UsageError } from "./exit-codes.js";

/** Splits a command line into words as a shell does: quotes group, a backslash takes the next character as it is. */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === "\\" && quote !== "'" && index + 1 < text.length) {
      index += 1;
      word = (word ?? "") + text.charAt(index);
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) throw new UsageError(`The command ${text} has an open quote.`);
  if (word !== undefined) words.push(word);
  if (words.length === 0) throw new UsageError("--stdio needs a command.");
  return words;
}
