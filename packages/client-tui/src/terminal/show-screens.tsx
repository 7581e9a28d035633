import type { Client } from "@resumable-mcp/client";
import { exitCodes } from "../command-line/exit-codes.js";
import type { TaskBoard } from "../model/task-board.js";
import type { ExtraAction } from "../terminal-ui-options.js";
import { App } from "../ui/app.js";
import type { TerminalScreen } from "./terminal-screen.js";

/** Draws the screens until the user leaves, and resolves to the exit code. */
export function showScreens(
  screen: TerminalScreen,
  client: Client,
  board: TaskBoard,
  extraActions: readonly ExtraAction[],
): Promise<number> {
  const onExit = (reason: "quit" | "interrupt") =>
    screen.close(reason === "quit" ? exitCodes.ok : exitCodes.interrupted);
  const props = { client, board, extraActions, clock: Date.now, copy: copyToClipboard, onExit };
  screen.draw((frame) => <App {...props} {...frame} />);
  return screen.closed;
}

/** Asks the terminal to put a text into the clipboard (OSC 52); one that cannot ignores it. */
function copyToClipboard(text: string): void {
  process.stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
}
