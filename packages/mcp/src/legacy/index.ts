export { createMcpServer } from "./create-mcp-server.js";
export { serverFactory } from "./server-factory.js";
export { createJsonSchemaValidator } from "./validate-json-schema.js";
