/** What a terminal reads as a command: the sequences of ECMA-48, and the texts between an OSC and its end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-Z\\^-~])/g;
/** What a reader does not see: control characters, ends of lines, what turns the direction of a text, and what has no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const runsOfUnseen = new RegExp(`${unseen.source}+`, "g");
/** Joiners stay where columns need not line up: words of some languages need them. */
const unseenWithinLines = new RegExp(`(?![\\n\\t\u200c\u200d])${unseen.source}`, "g");

/** Tells whether a text has characters that a reader does not see, which a terminal may take for commands. */
export function hasControls(text: string): boolean {
  return unseen.test(text);
}

/** Puts a space in place of control characters, of invisible ones, and of those that turn the direction of a text. */
function withoutControls(text: string): string {
  return text.replaceAll(runsOfUnseen, " ");
}

function withoutSequences(text: string): string {
  return text.includes("\u001b") ? text.replaceAll(escapeSequences, "") : text;
}

/** Makes one line of a text harmless, and keeps its spaces: no escape sequences, no line breaks, no turned direction. */
export function harmlessText(text: string): string {
  return withoutControls(withoutSequences(text));
}

/** Makes one harmless line of a text. */
export function plainText(text: string): string {
  return harmlessText(text).replaceAll(/ {2,}/g, " ").trim();
}

/** Makes a text of several lines harmless: its line breaks, tabs and joiners stay. */
export function harmlessLines(text: string): string {
  return withoutSequences(text).replaceAll("\r\n", "\n").replaceAll(unseenWithinLines, "");
}

/** The same JSON with such characters as escapes; line breaks between its values stay. */
export function harmlessJson(json: string): string {
  return json.replaceAll(
    unseenWithinLines,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
