// langchain.ts
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

/** No call is given up before, in milliseconds; by default LangChain waits a minute. */
const longestCallMs = 24 * 60 * 60 * 1000;

/** The tools of a server, for `createAgent({ model, tools })`. */
export async function openTools(url: string, token: string) {
  const client = new MultiServerMCPClient({
    defaultToolTimeout: longestCallMs,
    mcpServers: { work: { transport: "http", url, headers: { authorization: `Bearer ${token}` } } },
  });
  return { tools: await client.getTools(), close: () => client.close() };
}
