export type { ControlTool, ControlToolName } from "./control-tool.js";
export { controlTools, defaultControlTools } from "./control-tools.js";
export type { ServerDefinition } from "./define-server.js";
export { defineServer } from "./define-server.js";
export { longToolsText, makeInstructions } from "./instructions.js";
export type { AttachOptions } from "./legacy/attach-tools.js";
export { attachTools } from "./legacy/attach-tools.js";
export type { McpServerLike, RequestExtra } from "./legacy/mcp-server-like.js";
export { metaKeys } from "./meta-keys.js";
