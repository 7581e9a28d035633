import type { Client } from "@resumable-mcp/client";
import { type Instance, render } from "ink";
import type { TaskBoard } from "./model/task-board.js";
import { onTerminalEnd } from "./terminal-end.js";
import { createTerminalStream } from "./terminal-stream.js";
import { createTheme } from "./theme/theme.js";
import { ThemeContext } from "./theme/theme-context.js";
import { App } from "./ui/app.js";
import type { ExtraAction } from "./ui/extra-action.js";
import { markPastes } from "./ui/paste.js";

/** No more frames than any eye sees; a key that comes between two of them waits for the next. */
const maxDrawsPerSecond = 15;
const refreshMs = 5_000;
const enterScreen = `\u001b[?1049h${markPastes.on}`;
const leaveScreen = `${markPastes.off}\u001b[?25h\u001b[?1049l`;

/**
 * Draws the screens until the user leaves, and resolves to the exit code.
 *
 * The terminal is left as it was found, also on SIGTERM and SIGHUP and when it is closed.
 */
export async function showScreens(
  client: Client,
  board: TaskBoard,
  extraActions: readonly ExtraAction[],
): Promise<number> {
  const { stdin, stdout } = process;
  const terminal = createTerminalStream(stdout);
  let code = 0;
  let instance: Instance | undefined;
  const leave = (with_: number) => {
    code = with_;
    instance?.unmount();
  };
  const screens = () => (
    <ThemeContext value={createTheme({ colors: process.env.NO_COLOR === undefined && process.env.TERM !== "dumb" })}>
      <App
        client={client}
        board={board}
        extraActions={extraActions}
        clock={Date.now}
        copy={copyToClipboard}
        onExit={(reason) => leave(reason === "quit" ? 0 : 130)}
        size={{ columns: stdout.columns || 80, rows: stdout.rows || 24 }}
      />
    </ThemeContext>
  );
  const onResize = () => {
    terminal.clearWithNextFrame();
    instance?.rerender(screens());
  };
  const stopListening = onTerminalEnd(stdin, leave);
  // Whatever ends the process, the terminal is given back.
  const restore = () => void stdout.write(leaveScreen);
  process.once("exit", restore);
  stdout.on("resize", onResize).write(enterScreen);
  const refresh = setInterval(() => void board.refresh(), refreshMs);
  try {
    instance = render(screens(), {
      stdout: terminal.stream,
      maxFps: maxDrawsPerSecond,
      exitOnCtrlC: false,
      patchConsole: false,
    });
    await instance.waitUntilExit();
  } finally {
    clearInterval(refresh);
    stopListening();
    stdout.off("resize", onResize);
    process.off("exit", restore);
    restore();
  }
  return code;
}

/** Asks the terminal to put a text into the clipboard (OSC 52); one that cannot ignores it. */
function copyToClipboard(text: string): void {
  process.stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
}
