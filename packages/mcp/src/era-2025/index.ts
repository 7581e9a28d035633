export { createMcpServer } from "./create-mcp-server.js";
export { serverFactory } from "./server-factory.js";
