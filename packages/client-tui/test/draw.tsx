import { EventEmitter } from "node:events";
import chalk from "chalk";
import { render } from "ink";
import type { ReactNode } from "react";
import { onTestFinished } from "vitest";
import { KeyProvider } from "../src/ui/keys/key-provider.js";
import type { ScreenSize } from "../src/ui/navigation.js";
import { type Frame, frameOf } from "./frame.js";

/** The sizes at which screens are looked at: that of an old terminal, the least that they need, a large one. */
export const usual: ScreenSize = { columns: 80, rows: 24 };
export const least: ScreenSize = { columns: 40, rows: 10 };
export const large: ScreenSize = { columns: 120, rows: 40 };

/** A text that has not come by then never comes; also on a slow machine under load it takes a fraction of that. */
const hangsAfterMs = 20_000;

/** What a terminal shows, and its keyboard. */
export interface Drawn {
  /** What is shown now; it fails when that does not fit. */
  frame(): Frame;
  /** The same with what gives it colour, named in braces. */
  colored(): string;
  /** Resolves to the first frame that has the text. */
  until(text: string): Promise<Frame>;
  press(keys: string): void;
  redraw(node: ReactNode, size: ScreenSize): void;
}

/** Draws something as a terminal of this size does, in colour only where that is asked for. */
export function draw(node: ReactNode, size: ScreenSize, look: { readonly colors?: boolean } = {}): Drawn {
  const { colors = false } = look;
  const terminal = fakeTerminal(size);
  const keyboard = fakeKeyboard();
  chalk.level = colors ? 1 : 0;
  const instance = render(node, {
    // The library uses no more of them than what is there.
    stdout: terminal as unknown as NodeJS.WriteStream,
    stdin: keyboard as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  onTestFinished(() => {
    instance.unmount();
    chalk.level = 0;
  });
  const frame = () => frameOf(terminal.shown, terminal);
  return {
    frame,
    colored: () => namedColors(terminal.shown),
    until: (text) => waitFor(terminal, text).then(frame),
    press: (keys) => keyboard.type(keys),
    redraw(next, { columns, rows }) {
      Object.assign(terminal, { columns, rows });
      terminal.emit("resize");
      instance.rerender(next);
    },
  };
}

/** Draws one component that hears keys. */
export function drawPart(node: ReactNode, size: ScreenSize, look: { readonly colors?: boolean } = {}): Drawn {
  return draw(<KeyProvider>{node}</KeyProvider>, size, look);
}

function fakeTerminal({ columns, rows }: ScreenSize) {
  const terminal = Object.assign(new EventEmitter(), {
    columns,
    rows,
    shown: "",
    write(text: string) {
      terminal.shown = text;
      terminal.emit("drawn");
      return true;
    },
  });
  return terminal;
}

function fakeKeyboard() {
  let typed: string | null = null;
  const keyboard = Object.assign(new EventEmitter(), {
    isTTY: true,
    read() {
      const text = typed;
      typed = null;
      return text;
    },
    type(keys: string) {
      typed = keys;
      keyboard.emit("readable");
    },
    setEncoding() {},
    setRawMode() {},
    ref() {},
    unref() {},
  });
  return keyboard;
}

const colorNames: ReadonlyMap<string, string> = new Map([
  ["1", "bold"],
  ["2", "dim"],
  ["7", "inverse"],
  ["31", "red"],
  ["32", "green"],
  ["33", "yellow"],
  ["34", "blue"],
  ["35", "magenta"],
  ["36", "cyan"],
  ["90", "gray"],
]);

/** `{cyan}` where a colour begins, `{/}` where one ends. */
function namedColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is how colours are written.
  return text.replaceAll(/\u001b\[(\d+)m/g, (_all, code: string) => `{${colorNames.get(code) ?? "/"}}`);
}

/** Waits until a frame has the text. */
function waitFor(terminal: ReturnType<typeof fakeTerminal>, text: string): Promise<void> {
  if (terminal.shown.includes(text)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(hanging);
      terminal.off("drawn", look);
    };
    const look = () => {
      if (!terminal.shown.includes(text)) return;
      stop();
      resolve();
    };
    const hanging = setTimeout(() => {
      stop();
      reject(new Error(`"${text}" did not come:\n${terminal.shown}`));
    }, hangsAfterMs);
    terminal.on("drawn", look);
  });
}
