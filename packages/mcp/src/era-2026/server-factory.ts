import { McpServer } from "@modelcontextprotocol/server";
import type { Engine } from "@resumable-mcp/core";
import { makeInstructions } from "../control/instructions.js";
import type { ServerDefinition, Setup2026 } from "../define-server.js";
import { forSdk } from "../sdk-workarounds.js";
import type { CreateServer2026 } from "./create-handler.js";
import { createToolCaller, type RegisterOptions2026, registerTools2026 } from "./register-tools.js";
import { createServerPool } from "./server-pool.js";

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
