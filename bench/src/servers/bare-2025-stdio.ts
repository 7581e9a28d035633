import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { registerEcho } from "./echo.js";

const server = new McpServer({ name: "bench", version: "1.0.0" });
registerEcho(server);
await server.connect(new StdioServerTransport());
