import type { Client } from "@resumable-mcp/client";
import { type Instance, render } from "ink";
import type { TaskBoard } from "./model/task-board.js";
import { createTheme } from "./theme/theme.js";
import { ThemeContext } from "./theme/theme-context.js";
import { App } from "./ui/app.js";
import type { ExtraAction } from "./ui/extra-action.js";

const maxFps = 15;
const refreshMs = 5_000;
const enterScreen = "\u001b[?1049h";
const leaveScreen = "\u001b[?25h\u001b[?1049l";

/**
 * Draws the screens until the user leaves, and resolves to the exit code.
 *
 * The terminal is left as it was found, also on SIGTERM and SIGHUP.
 */
export async function showScreens(
  client: Client,
  board: TaskBoard,
  extraActions: readonly ExtraAction[],
): Promise<number> {
  let code = 0;
  let instance: Instance | undefined;
  const leave = (with_: number) => {
    code = with_;
    instance?.unmount();
  };
  const onSignal = () => leave(143);
  // Not `once`: Ink would find no other listener left and end the process at once.
  process.on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  // Whatever ends the process, the terminal is given back.
  const restore = () => void process.stdout.write(leaveScreen);
  process.once("exit", restore);
  process.stdout.write(enterScreen);
  const refresh = setInterval(() => void board.refresh(), refreshMs);
  try {
    instance = render(
      <ThemeContext value={createTheme({ colors: process.env.NO_COLOR === undefined && process.env.TERM !== "dumb" })}>
        <App
          client={client}
          board={board}
          extraActions={extraActions}
          clock={Date.now}
          onExit={(reason) => leave(reason === "quit" ? 0 : 130)}
        />
      </ThemeContext>,
      { maxFps, exitOnCtrlC: false, patchConsole: false },
    );
    await instance.waitUntilExit();
  } finally {
    clearInterval(refresh);
    process.off("exit", restore).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
    restore();
  }
  return code;
}
