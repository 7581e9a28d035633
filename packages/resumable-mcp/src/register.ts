// Adds tools to a server that its author has. Apart from the other entry, since this one loads the SDK.
export { registerTools } from "@resumable-mcp/mcp";
