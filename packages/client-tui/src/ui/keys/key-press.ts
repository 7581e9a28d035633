import type { Key } from "ink";

/** A key, or a pasted text, as the screens' reducers see it. */
export interface KeyPress {
  /** What was typed; empty for keys that type nothing. */
  readonly text: string;
  readonly name?:
    | "up"
    | "down"
    | "left"
    | "right"
    | "enter"
    | "escape"
    | "tab"
    | "backtab"
    | "backspace"
    | "pageUp"
    | "pageDown"
    | "home"
    | "end"
    | "question"
    | "interrupt";
  /** Pasted text in one piece: never a command, only something to type where one types. */
  readonly paste?: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
const control = /[\u0000-\u001f\u007f-\u009f]/;
const backspaces = new Set(["\u007f", "\b"]);

/**
 * Names what Ink reports: one key, or several that came in one piece, as in pasted text and over slow lines.
 *
 * Control characters in such a piece are dropped, so that pasting never sends a form; only backspaces and Ctrl-C count.
 */
export function toKeyPresses(input: string, key: Pick<Key, "ctrl" | "meta"> & Partial<Key>): readonly KeyPress[] {
  const named = nameOf(input, key);
  if (named !== undefined) return [{ text: "", name: named }];
  if (key.ctrl || key.meta) return [];
  return [...input].flatMap((character): readonly KeyPress[] => {
    // Pressed in haste, or while nothing was read: whoever wants to leave leaves.
    if (character === "\u0003") return [{ text: "", name: "interrupt" }];
    if (backspaces.has(character)) return [{ text: "", name: "backspace" }];
    return control.test(character) ? [] : [{ text: character }];
  });
}

function nameOf(input: string, key: Partial<Key>): KeyPress["name"] {
  if (key.ctrl && input === "c") return "interrupt";
  if (key.ctrl && input === "y") return "question";
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.leftArrow) return "left";
  if (key.rightArrow) return "right";
  if (key.pageUp) return "pageUp";
  if (key.pageDown) return "pageDown";
  if (key.home) return "home";
  if (key.end) return "end";
  if (key.return) return "enter";
  if (key.escape) return "escape";
  if (key.tab) return key.shift ? "backtab" : "tab";
  return key.backspace || key.delete ? "backspace" : undefined;
}
