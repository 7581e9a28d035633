import type { KeyPress } from "./key-press.js";

/** What terminals put around pasted text when they are asked to, as Ink reports it: without the escape character. */
const pasteBegins = "[200~";
const pasteEnds = "[201~";

/** Asks a terminal to mark what is pasted, and takes that back. */
export const markPastes = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/** Characters that one paste may bring; the rest is dropped. */
const maxPastedCharacters = 100_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces.
const control = /[\u0000-\u001f\u007f-\u009f]+/g;

/** The paste that is coming in; `undefined` between pastes. */
export type PasteState = string | undefined;

/** Gathers pasted text; a press only when the paste is complete, `undefined` where the input is no part of one. */
export function takePaste(
  state: PasteState,
  input: string,
): { readonly state: PasteState; readonly press?: KeyPress } | undefined {
  if (state === undefined) return input === pasteBegins ? { state: "" } : undefined;
  if (input === pasteEnds) return { state: undefined, press: { text: "", paste: state.replaceAll(control, " ") } };
  return { state: (state + input).slice(0, maxPastedCharacters) };
}
