import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { inFlight, registerEcho } from "./echo.js";

const server = new McpServer({ name: "bench", version: "1.0.0" });
registerEcho(server);

const waiting: (() => void)[] = [];
server.registerTool("gather", { description: "Answers when all calls are there." }, async () => {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === inFlight) for (const end of waiting.splice(0)) end();
  });
  return { content: [] };
});
await server.connect(new StdioServerTransport());
