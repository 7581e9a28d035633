// ai-sdk.ts
import { createMCPClient } from "@ai-sdk/mcp";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/**
 * The tools of a server, for `generateText({ model, prompt, tools, stopWhen: isStepCount(20) })`.
 *
 * The transport of the MCP SDK continues a stream that broke. That of the AI SDK (`type: "http"`) does not.
 */
export async function openTools(url: string, token: string) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  const client = await createMCPClient({ transport });
  return { tools: await client.tools(), close: () => client.close() };
}
