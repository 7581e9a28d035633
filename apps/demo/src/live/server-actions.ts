import type { ExtraAction } from "@resumable-mcp/client-tui";
import type { RestartableServer } from "../processes/restartable-server.js";

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
        return `Process ${pid} was killed with SIGKILL: r starts the server again.`;
      },
    },
    {
      key: "r",
      label: "restart the server",
      async run() {
        if (server.pid !== undefined) return `The server runs already (process ${server.pid}): k kills it.`;
        await server.start();
        return `The server runs again (process ${server.pid}): its tasks go on.`;
      },
    },
  ];
}
