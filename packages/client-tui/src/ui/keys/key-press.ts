import type { Key } from "ink";

/** The keys that type nothing, by the names that Ink gives them. */
const names = {
  ...({ upArrow: "up", downArrow: "down", leftArrow: "left", rightArrow: "right" } as const),
  ...({ pageUp: "pageUp", pageDown: "pageDown", home: "home", end: "end" } as const),
  ...({ return: "enter", escape: "escape", tab: "tab", backspace: "backspace", delete: "backspace" } as const),
};

type KeyName = (typeof names)[keyof typeof names] | "backtab" | "question" | "interrupt";

/** A key, or a pasted text, as the screens' reducers see it. */
export interface KeyPress {
  /** What was typed; empty for keys that type nothing. */
  readonly text: string;
  readonly name?: KeyName;
  /** Where the mouse was pressed: rows and columns of the terminal, from 0. */
  readonly click?: { readonly row: number; readonly column: number };
  /** The entry of a list to go to. */
  readonly index?: number;
  /** Pasted text in one piece: never a command, only something to type where one types. */
  readonly paste?: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
const control = /[\u0000-\u001f\u007f-\u009f]+/g;
const backspaces = new Set(["\u007f", "\b"]);

/**
 * Names what Ink reports: one key, or several that came in one piece, as in pasted text and over slow lines.
 *
 * Control characters in such a piece are dropped, so that pasting never sends a form; only Tab, backspaces and Ctrl-C count.
 */
export function toKeyPresses(input: string, key: Pick<Key, "ctrl" | "meta"> & Partial<Key>): readonly KeyPress[] {
  const mouse = mousePresses(input);
  if (mouse !== undefined) return mouse;
  const named = nameOf(input, key);
  if (named !== undefined) return [{ text: "", name: named }];
  if (key.ctrl || key.meta) return [];
  return [...input].flatMap((character): readonly KeyPress[] => {
    // Ctrl-C leaves, also in the middle of other input.
    if (character === "\u0003") return [{ text: "", name: "interrupt" }];
    if (character === "\t") return [{ text: "", name: "tab" }];
    if (backspaces.has(character)) return [{ text: "", name: "backspace" }];
    return character.search(control) === 0 ? [] : [{ text: character }];
  });
}

function nameOf(input: string, key: Partial<Key>): KeyName | undefined {
  if (key.ctrl && input === "c") return "interrupt";
  if (key.ctrl && input === "y") return "question";
  if (key.tab && key.shift) return "backtab";
  const known = (Object.keys(names) as (keyof typeof names)[]).find((name) => key[name]);
  return known && names[known];
}

/** Asks a terminal to report the mouse as SGR sequences, and takes that back. */
export const reportMouse = { on: "\u001b[?1000h\u001b[?1006h", off: "\u001b[?1006l\u001b[?1000l" };

const wheelUp = 64;
const wheelDown = 65;

/** What a report of the mouse means: the wheel moves by a line, the first button clicks; `undefined` for other input. */
function mousePresses(input: string): readonly KeyPress[] | undefined {
  const [, button, column, row, end] = /^\[<(\d+);(\d+);(\d+)([Mm])$/.exec(input) ?? [];
  if (button === undefined) return undefined;
  if (Number(button) === wheelUp) return [{ text: "", name: "up" }];
  if (Number(button) === wheelDown) return [{ text: "", name: "down" }];
  const click = { row: Number(row) - 1, column: Number(column) - 1 };
  return Number(button) === 0 && end === "M" ? [{ text: "", click }] : [];
}

/** What terminals put around pasted text when they are asked to, as Ink reports it: without the escape character. */
const pasteBegins = "[200~";
const pasteEnds = "[201~";

/** Asks a terminal to mark what is pasted, and takes that back. */
export const markPastes = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/** Characters that one paste may bring; the rest is dropped. */
const maxPastedCharacters = 100_000;

/** The paste that is coming in; `undefined` between pastes. */
export type PasteState = string | undefined;

/** Gathers pasted text; a press only when the paste is complete, `undefined` where the input is not part of one. */
export function takePaste(
  state: PasteState,
  input: string,
): { readonly state: PasteState; readonly press?: KeyPress } | undefined {
  if (state === undefined) return input === pasteBegins ? { state: "" } : undefined;
  if (input === pasteEnds) return { state: undefined, press: { text: "", paste: state.replaceAll(control, " ") } };
  return { state: (state + input).slice(0, maxPastedCharacters) };
}
