import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { McpServer as McpServer2026 } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Calls that the tool `gather` waits for. */
export const inFlight = 1_000;

/** Adds one trivial tool that keeps nothing, in the way that both SDKs share. */
export function registerEcho(server: McpServer | McpServer2026): void {
  const config = { description: "Gives a text back.", inputSchema: z.object({ text: z.string() }) };
  const run = async ({ text }: { text: string }) => ({ content: [{ type: "text" as const, text }] });
  if ("experimental" in server) (server as McpServer).registerTool("echo", config, run);
  else (server as McpServer2026).registerTool("echo", config, run);
}
