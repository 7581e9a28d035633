import { exitCodes } from "./command-line/exit-codes.js";
import type { TerminalUse } from "./terminal/terminal-screen.js";
import type { RunTerminalUiOptions } from "./terminal-ui-options.js";
import { backgroundFromEnvironment } from "./ui/keys/terminal-reply.js";

/**
 * Opens the user interface and resolves to the exit code when the user leaves.
 *
 * The terminal is left as it was found, also on SIGTERM and SIGHUP. Tasks continue on their servers.
 *
 * @example
 * process.exit(await runTerminalUi({ servers: [{ url: "http://127.0.0.1:8001/mcp" }] }));
 */
export async function runTerminalUi(options: RunTerminalUiOptions = {}): Promise<number> {
  prepareEnvironment(process.env);
  if (options.screenReader ?? wantsSentences(process.env)) {
    const { runUiSession } = await import("./ui-session.js");
    return runUiSession(options);
  }
  const { openTerminalScreen } = await import("./terminal/terminal-screen.js");
  const screen = openTerminalScreen(terminalUse(options, process.env));
  try {
    await firstFrameWritten();
    // Client, protocol and schemas take longer to load than the first frame takes to draw.
    const { runUiSession } = await import("./ui-session.js");
    return await runUiSession(options, screen);
  } finally {
    // Errors are printed on the restored terminal.
    screen.close(exitCodes.failed);
    await screen.closed;
  }
}

/** How the terminal is used: what the caller says, else the environment. Without colours the background does not matter. */
function terminalUse({ mouse, theme }: RunTerminalUiOptions, environment: NodeJS.ProcessEnv): TerminalUse {
  const { RESUMABLE_MCP_MOUSE, RESUMABLE_MCP_THEME, FORCE_COLOR } = environment;
  const wanted = theme ?? RESUMABLE_MCP_THEME;
  const named = wanted === "dark" || wanted === "light" ? wanted : backgroundFromEnvironment(environment);
  return {
    mouse: mouse ?? RESUMABLE_MCP_MOUSE !== "off",
    background: named ?? (FORCE_COLOR === "0" ? "dark" : undefined),
  };
}

/** Frames are written when the event loop comes round. */
function firstFrameWritten(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A dumb terminal cannot go back to a line that it has written; a screen reader would read every frame again. */
function wantsSentences({ TERM, INK_SCREEN_READER }: NodeJS.ProcessEnv): boolean {
  return TERM === "dumb" || INK_SCREEN_READER === "true";
}

/** The drawing libraries read these when they are loaded: open screens always have a terminal. */
function prepareEnvironment(environment: NodeJS.ProcessEnv): void {
  environment.CI = "false";
  environment.CONTINUOUS_INTEGRATION = "false";
  // With any value of CI the libraries use no colours unless these are forced.
  const colors = environment.NO_COLOR === undefined && environment.TERM !== "dumb";
  environment.FORCE_COLOR = colors ? (environment.FORCE_COLOR ?? "1") : "0";
}
