import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ExtraAction, runTerminalUi } from "@resumable-mcp/client-tui";
import { type RestartableServer, startRestartableServer } from "../processes/demo-server.js";

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

type Server = Pick<RestartableServer, "pid" | "kill" | "start">;

/** Lets the user of the terminal UI do to the server what a crash would do, and start it again. */
export function serverActions(server: Server): readonly ExtraAction[] {
  return [
    {
      key: "k",
      label: "kill -9 the server",
      async run() {
        const { pid } = server;
        if (pid === undefined) return "No server runs: r starts it.";
        await server.kill();
        return `Process ${pid} was killed with SIGKILL: r in the menu, or : elsewhere, starts the server again.`;
      },
    },
    {
      key: "r",
      label: "restart the server",
      async run() {
        if (server.pid !== undefined) return `The server runs already (process ${server.pid}): k kills it.`;
        await server.start();
        return `The server runs again (process ${server.pid}): its tasks continue.`;
      },
    },
  ];
}
