export { createMcpServer, serverFactory } from "./create-mcp-server.js";
