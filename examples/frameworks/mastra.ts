// mastra.ts
import { MCPClient } from "@mastra/mcp";

/** No call is given up before, in milliseconds; by default Mastra waits a minute. */
const longestCallMs = 24 * 60 * 60 * 1000;

/**
 * The tools of a server, for `new Agent({ id, name, instructions, model, tools })`.
 *
 * `"legacy"` is a revision of MCP in which a stream that broke continues. 2026-07-28 has no such streams.
 */
export async function openTools(url: string, token: string) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new MCPClient({
    timeout: longestCallMs,
    servers: { work: { url: new URL(url), requestInit, protocolVersion: "legacy" } },
  });
  return { tools: await client.listTools(), close: () => client.disconnect() };
}
