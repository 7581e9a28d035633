import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Engine, OwnedTasks } from "@resumable-mcp/core";
import type { ServerDefinition } from "../define-server.js";
import { makeInstructions } from "../instructions.js";
import { type AttachOptions, attachTools } from "./attach-tools.js";

/**
 * Makes a server of the 2025 era of a definition, with all control tools.
 *
 * The SDK is loaded here, when the first connection needs it.
 *
 * @param tasks whose unfinished tasks the instructions name, where that is known at the beginning.
 */
export async function createMcpServer(
  definition: ServerDefinition,
  engine: Engine,
  options: AttachOptions & { readonly tasks?: OwnedTasks } = {},
): Promise<McpServer> {
  const { name, version, setup } = definition;
  const { tasks, ...attach } = options;
  const [{ McpServer }, instructions] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    makeInstructions(definition.instructions, tasks),
  ]);
  const server = new McpServer({ name, version }, { instructions, capabilities: { logging: {} } });
  attachTools(server, engine, { controlTools: "all", ...attach });
  await setup?.(server);
  return server;
}
