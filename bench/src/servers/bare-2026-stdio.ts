import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { registerEcho } from "./echo.js";

serveStdio(async () => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  registerEcho(server);
  return server;
});
