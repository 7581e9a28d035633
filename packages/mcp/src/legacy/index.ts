export { createMcpServer } from "./create-mcp-server.js";
export { createJsonSchemaValidator } from "./validate-json-schema.js";
