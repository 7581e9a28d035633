import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { registerEcho } from "./echo.js";

/** The SDK's own server as its examples show it. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  registerEcho(server);
  return server;
});
const http = createServer(toNodeHandler(handler));
http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  if (typeof address === "object") process.stderr.write(`listening on http://127.0.0.1:${address?.port}/mcp\n`);
});
