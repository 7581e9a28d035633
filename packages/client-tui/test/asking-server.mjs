// A server of others, over stdio: its tool asks the user by itself, and answers with an image and a link.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "other", version: "1" });
server.registerTool("greet", { inputSchema: {} }, async () => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const { action, content } = await server.server.elicitInput({ message: "Who\u202e are you?", requestedSchema });
  return {
    content: [
      { type: "text", text: `${action} ${content?.name ?? "nothing"}` },
      { type: "image", data: "A".repeat(4_000), mimeType: "image/png" },
      { type: "resource_link", name: "card", uri: "file:///card.pdf" },
    ],
  };
});
await server.connect(new StdioServerTransport());
