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
    | "interrupt";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const control = /[\u0000-\u001f\u007f-\u009f]/g;

/** Names a key as Ink reports it. Control characters in pasted text are dropped. */
export function toKeyPress(input: string, key: Key): KeyPress {
  if (key.ctrl && input === "c") return { text: "", name: "interrupt" };
  if (key.upArrow) return { text: "", name: "up" };
  if (key.downArrow) return { text: "", name: "down" };
  if (key.leftArrow) return { text: "", name: "left" };
  if (key.rightArrow) return { text: "", name: "right" };
  if (key.pageUp) return { text: "", name: "pageUp" };
  if (key.pageDown) return { text: "", name: "pageDown" };
  if (key.return) return { text: "", name: "enter" };
  if (key.escape) return { text: "", name: "escape" };
  if (key.tab) return { text: "", name: key.shift ? "backtab" : "tab" };
  if (key.backspace || key.delete) return { text: "", name: "backspace" };
  if (key.ctrl || key.meta) return { text: "" };
  return { text: input.replaceAll(control, "") };
}
