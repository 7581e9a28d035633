import { McpServer } from "@modelcontextprotocol/server";
import type { Engine } from "@resumable-mcp/core";
import { makeInstructions } from "../control/instructions.js";
import type { ServerDefinition, Setup2026 } from "../define-server.js";
import type { CreateServer2026 } from "./create-handler.js";
import { createToolCaller, type RegisterOptions2026, registerTools2026 } from "./register-tools.js";

/** Makes the `createServer` of a definition, with all control tools. */
export function serverFactory2026(
  definition: ServerDefinition,
  engine: Engine,
  options: RegisterOptions2026 = {},
): CreateServer2026 {
  const { name, version, setup2026 } = definition;
  return async (_context, changes) => {
    const instructions = await makeInstructions(definition.instructions);
    const server = new McpServer({ name, version }, { instructions, capabilities: { logging: {} } });
    registerTools2026(server, engine, { controlTools: "all", ...options });
    // The SDK's results are these with types of its own.
    const callTool = createToolCaller(server, engine, options) as unknown as Setup2026["callTool"];
    await setup2026?.(server, { changes, callTool });
    return server;
  };
}
