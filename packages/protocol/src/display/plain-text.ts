/** What a terminal reads as a command: the sequences of ECMA-48, and the texts between an OSC and its end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-Z\\^-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const control = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** Puts a space in place of control characters, of invisible ones, and of those that turn the direction of a text. */
export function withoutControls(text: string): string {
  return text.replaceAll(control, " ");
}

/** Makes a text that a server sent harmless, and keeps its spaces: no escape sequences, no line breaks, no turned direction. */
export function harmlessText(text: string): string {
  return withoutControls(text.includes("\u001b") ? text.replaceAll(escapeSequences, "") : text);
}

/** Makes one harmless line of a text that a server sent. */
export function plainText(text: string): string {
  return harmlessText(text).replaceAll(/ {2,}/g, " ").trim();
}
