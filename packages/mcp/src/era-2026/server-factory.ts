import { McpServer } from "@modelcontextprotocol/server";
import type { Engine } from "@resumable-mcp/core";
import { makeInstructions } from "../control/instructions.js";
import type { ModernSetup, ServerDefinition } from "../define-server.js";
import type { CreateModernServer } from "./create-handler.js";
import { attachModernTools, createToolCaller, type ModernAttachOptions } from "./register-tools.js";

/** Makes the `createServer` of a definition, with all control tools. */
export function modernServerFactory(
  definition: ServerDefinition,
  engine: Engine,
  options: ModernAttachOptions = {},
): CreateModernServer {
  const { name, version, setupModern } = definition;
  return async (_context, changes) => {
    const instructions = await makeInstructions(definition.instructions);
    const server = new McpServer({ name, version }, { instructions, capabilities: { logging: {} } });
    attachModernTools(server, engine, { controlTools: "all", ...options });
    // The SDK's results are these with types of its own.
    const callTool = createToolCaller(server, engine, options) as unknown as ModernSetup["callTool"];
    await setupModern?.(server, { changes, callTool });
    return server;
  };
}
