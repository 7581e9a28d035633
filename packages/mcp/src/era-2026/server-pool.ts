import type { McpServer } from "@modelcontextprotocol/server";
import { limits2026 } from "./limits-2026.js";

/** Gives a server that serves no request now. */
export type TakeServer = (build: () => Promise<McpServer>) => Promise<McpServer>;

/**
 * Keeps servers for the requests to come: building one costs more than a small call.
 *
 * A server is used again only after it sent its response. A handler whose caller left may still run, and what it sends
 * would go to the request after it.
 *
 * Limits: `maxIdleServers`.
 */
export function createServerPool(): TakeServer {
  const idle = new Set<McpServer>();
  const keep = (server: McpServer): void => {
    if (idle.size < limits2026.maxIdleServers) idle.add(server);
  };
  return async (build) => {
    const [known] = idle;
    if (known === undefined) return reusable(await build(), keep);
    idle.delete(known);
    return known;
  };
}

function reusable(server: McpServer, keep: (server: McpServer) => void): McpServer {
  const { connect, close } = server;
  let state: "unused" | "connected" | "answered" = "unused";
  server.server.onclose = () => {
    if (state === "answered") keep(server);
    state = "unused";
  };
  server.connect = (transport) => {
    state = "connected";
    const { send } = transport;
    transport.send = (message, options) => {
      if (!("method" in message)) state = "answered";
      return send.call(transport, message, options);
    };
    return connect.call(server, transport);
  };
  // The SDK closes without connecting where it answers a request itself, as it does for subscriptions.
  server.close = async () => {
    if (state === "unused") keep(server);
    await close.call(server);
  };
  return server;
}
