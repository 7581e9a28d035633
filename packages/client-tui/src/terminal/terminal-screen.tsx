import { type Instance, render } from "ink";
import type { ReactNode } from "react";
import { exitCodes } from "../command-line/exit-codes.js";
import { markPastes, reportMouse } from "../ui/keys/key-press.js";
import { askBackground, type Background } from "../ui/keys/terminal-reply.js";
import type { AppProps } from "../ui/navigation.js";
import { FirstFrame } from "./first-frame.js";
import { createTerminalStream, onTerminalEnd } from "./terminal-stream.js";

/** No more frames than any eye sees; a key that comes between two of them waits for the next. */
const maxDrawsPerSecond = 15;
const enterScreen = `\u001b[?1049h${markPastes.on}`;
const leaveScreen = `${reportMouse.off}${markPastes.off}\u001b[?25h\u001b[?1049l`;

/** How a terminal is used. */
export interface TerminalUse {
  /** The wheel moves and clicks choose; then text is selected with Shift held down. */
  readonly mouse: boolean;
  /** What is behind the text; the terminal is asked where this is absent. */
  readonly background?: Background | undefined;
}

/** What screens are drawn for. */
export type ScreenFrame = Pick<AppProps, "size" | "background" | "onBackground">;

/** The terminal, taken over until it is given back. */
export interface TerminalScreen {
  /** Draws something in place of what was drawn before, and again whenever the terminal has another size or background. */
  draw(screens: (frame: ScreenFrame) => ReactNode): void;
  /** Gives the terminal back; the first code counts. */
  close(code: number): void;
  /** Resolves to the code when the terminal was given back. */
  readonly closed: Promise<number>;
}

/**
 * Takes the terminal over and draws the first frame, which needs no more of the program than this.
 *
 * The terminal is left as it was found, also on SIGTERM and SIGHUP and when it is closed.
 */
export function openTerminalScreen({ mouse, background: given }: TerminalUse): TerminalScreen {
  const { stdin, stdout } = process;
  const terminal = createTerminalStream(stdout);
  let code: number | undefined;
  let background = given ?? "dark";
  // Nothing waits for the answer: a terminal that gives one is drawn again.
  const onBackground = (answered: Background) => {
    if (given !== undefined || answered === background) return;
    background = answered;
    instance.rerender(present());
  };
  let screens = ({ size }: ScreenFrame): ReactNode => (
    <FirstFrame {...{ size, onBackground }} onInterrupt={() => close(exitCodes.interrupted)} />
  );
  const present = () =>
    screens({ size: { columns: stdout.columns || 80, rows: stdout.rows || 24 }, background, onBackground });
  // Whatever ends the process, the terminal is given back.
  const restore = () => void stdout.write(leaveScreen);
  process.once("exit", restore);
  stdout.write(enterScreen + (mouse ? reportMouse.on : "") + (given === undefined ? askBackground : ""));
  const instance: Instance = render(present(), {
    stdout: terminal.stream,
    maxFps: maxDrawsPerSecond,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const close = (with_: number) => {
    code ??= with_;
    instance.unmount();
  };
  const onResize = () => {
    terminal.clearWithNextFrame();
    instance.rerender(present());
  };
  stdout.on("resize", onResize);
  const stopListening = onTerminalEnd(stdin, close);
  const closed = instance.waitUntilExit().then(() => {
    stopListening();
    stdout.off("resize", onResize);
    process.off("exit", restore);
    restore();
    return code ?? exitCodes.ok;
  });
  return {
    draw(next) {
      screens = next;
      instance.rerender(present());
    },
    close,
    closed,
  };
}
