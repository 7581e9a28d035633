import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runTerminalUi } from "@resumable-mcp/client-tui";
import { startRestartableServer } from "../processes/restartable-server.js";
import { serverActions } from "./server-actions.js";

/** How the UI is opened. */
export interface InTerminalOptions {
  /** The folder of the demo's built programs. */
  readonly built: URL;
  /** Where the server listens if the port is free. */
  readonly preferredPort: number;
}

/**
 * Opens the terminal UI with a server behind it that can be killed and started again. Tasks and the client's identity
 * stay in the working directory: the next run finds what this one left unfinished.
 *
 * @returns the exit code.
 */
export async function runInTerminal({ built, preferredPort }: InTerminalOptions): Promise<number> {
  const folder = resolve(".resumable-mcp", "demo");
  await mkdir(folder, { recursive: true });
  const store = join(folder, "store");
  const server = await startRestartableServer({ built, store, preferredPort });
  try {
    return await runTerminalUi({
      servers: [{ url: server.url }],
      serversEnd: true,
      stateFile: join(folder, "client.json"),
      extraActions: serverActions(server),
    });
  } finally {
    await server.stop();
  }
}
