import type { McpServer, ServerNotifier } from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Engine } from "@resumable-mcp/core";
import type { ServerDefinition } from "../define-server.js";
import type { RegisterOptions2026 } from "../era-2026/server-2026.js";
import { serverFactory2026 } from "../era-2026/server-factory.js";
import { withStdioTasks } from "../era-2026/tasks/stdio-tasks.js";
import type { StdioChannel } from "./stdio-channel.js";

/** What a connection of the 2026 era is served with. */
export interface StdioOptions2026 extends RegisterOptions2026 {
  readonly definition: ServerDefinition;
  readonly engine: Engine;
  readonly channel: StdioChannel;
}

/** Serves one client of the 2026 era over a channel. */
export function serveStdio2026(options: StdioOptions2026): StdioServerHandle {
  const { definition, engine, channel, onError } = options;
  const createServer = serverFactory2026(definition, engine, options);
  const connected: { server?: McpServer } = {};
  const factory = async (...[context]: Parameters<Parameters<typeof serveStdio>[0]>) => {
    const server = await createServer(context, changesOf(connected, onError));
    connected.server = server;
    return server;
  };
  return serveStdio(factory, {
    legacy: "reject",
    transport: withStdioTasks(channel, engine, options),
    onerror: onError,
  });
}

/** Over stdio the connection's own server tells of changes. */
function changesOf(connected: { readonly server?: McpServer }, onError: StdioOptions2026["onError"]): ServerNotifier {
  return {
    toolsChanged: () => connected.server?.sendToolListChanged(),
    promptsChanged: () => connected.server?.sendPromptListChanged(),
    resourcesChanged: () => connected.server?.sendResourceListChanged(),
    resourceUpdated(uri) {
      // As the others, which send nothing when the client has closed the connection.
      if (connected.server?.isConnected())
        connected.server.server.sendResourceUpdated({ uri }).catch((error) => onError?.(error));
    },
  };
}
