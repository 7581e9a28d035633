import {
  McpServer,
  PerRequestHTTPServerTransport,
  type ServerNotifier,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Engine } from "@resumable-mcp/core";
import { maskHandlers } from "../call/mask-handlers.js";
import { makeInstructions } from "../control/control-tools.js";
import { panelOf } from "../control/register-panel.js";
import type { ServerDefinition, Setup2026 } from "../define-server.js";
import { forSdk, serverOfRequest } from "../sdk-workarounds.js";
import type { CreateServer2026 } from "./http-handler.js";
import { createToolCaller, registerTools2026 } from "./register-tools.js";
import type { RegisterOptions2026 } from "./server-2026.js";

/** The version of the 2026 era, which the SDK exports under no name. */
const revision = "2026-07-28";

/**
 * Makes the `createServer` of a definition. One server is built for all requests of an HTTP endpoint, at the first of them, and
 * one for each connection over stdio.
 */
export function serverFactory2026(
  definition: ServerDefinition,
  engine: Engine,
  {
    operatorScope,
    ...given
  }: Omit<RegisterOptions2026, "controlTools" | "panel"> & {
    readonly operatorScope?: string | undefined;
  } = {},
): CreateServer2026 {
  const { name, version, setup2026, controlTools } = definition;
  const options: RegisterOptions2026 = { ...given, controlTools, panel: panelOf(definition, operatorScope) };
  const build = async (changes: ServerNotifier, isShared: boolean): Promise<McpServer> => {
    const instructions = await makeInstructions(definition);
    const supportedProtocolVersions = [...SUPPORTED_PROTOCOL_VERSIONS, revision];
    const capabilities = { logging: {} };
    const server = new McpServer({ name, version }, { instructions, capabilities, supportedProtocolVersions });
    registerTools2026(server, engine, options);
    const callTool: Setup2026["callTool"] = forSdk(createToolCaller(server, engine, options));
    if (options.maskThrown !== undefined) maskHandlers(server, options.maskThrown);
    await setup2026?.(server, { changes, callTool });
    // What its code sends outside a request reaches no client, as over HTTP nothing does.
    if (isShared) {
      await server.connect(new PerRequestHTTPServerTransport({ classification: { era: "modern", revision } }));
    }
    return server;
  };
  const shared = new Map<ServerNotifier, Promise<McpServer>>();
  return async ({ requestInfo }, changes) => {
    if (requestInfo === undefined) return build(changes, false);
    const building = shared.get(changes) ?? build(changes, true);
    shared.set(changes, building);
    try {
      return serverOfRequest(await building);
    } catch (error) {
      // The next request tries again.
      shared.delete(changes);
      throw error;
    }
  };
}
