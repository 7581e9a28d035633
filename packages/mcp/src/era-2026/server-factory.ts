import { McpServer } from "@modelcontextprotocol/server";
import type { Engine } from "@resumable-mcp/core";
import { makeInstructions } from "../control/instructions.js";
import type { ServerDefinition, Setup2026 } from "../define-server.js";
import { limits2026 } from "../limits.js";
import { forSdk } from "../sdk-workarounds.js";
import type { CreateServer2026 } from "./create-handler.js";
import { createToolCaller, type RegisterOptions2026, registerTools2026 } from "./register-tools.js";

/**
 * Makes the `createServer` of a definition, with all control tools. Over HTTP the servers of requests that are over serve
 * those to come, unless the definition has a `setup2026`: it is promised a server for each request.
 */
export function serverFactory2026(
  definition: ServerDefinition,
  engine: Engine,
  options: RegisterOptions2026 = {},
): CreateServer2026 {
  const { name, version, setup2026 } = definition;
  const takeServer = createServerPool();
  const build = async () => {
    const instructions = await makeInstructions(definition.instructions);
    const server = new McpServer({ name, version }, { instructions, capabilities: { logging: {} } });
    registerTools2026(server, engine, { controlTools: "all", ...options });
    return server;
  };
  return async ({ requestInfo }, changes) => {
    if (setup2026 === undefined && requestInfo !== undefined) return takeServer(build);
    const server = await build();
    const callTool: Setup2026["callTool"] = forSdk(createToolCaller(server, engine, options));
    await setup2026?.(server, { changes, callTool });
    return server;
  };
}

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
