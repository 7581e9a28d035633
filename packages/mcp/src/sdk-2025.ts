// biome-ignore-all lint/suspicious/noTsIgnore: an expected error would be one where the package is installed.
// biome-ignore-all assist/source/organizeImports: a comment covers one line.
/**
 * The types of `@modelcontextprotocol/sdk` that this package uses. It is installed only where a server of it is served; where it is
 * not, the comments let declarations be checked all the same, and what they name is `any` there.
 */

/** @ts-ignore */
export type { TaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
/** @ts-ignore */
export type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
/** @ts-ignore */
export type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
/** @ts-ignore */
export type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
/** @ts-ignore */
export type { RequestTaskStore } from "@modelcontextprotocol/sdk/shared/protocol.js";
/** @ts-ignore */
export type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
/** @ts-ignore */
export type { CallToolResult, GetTaskResult, MessageExtraInfo, RequestId } from "@modelcontextprotocol/sdk/types.js";
/** @ts-ignore */
export type { JSONRPCMessage, JSONRPCNotification } from "@modelcontextprotocol/sdk/types.js";
/** @ts-ignore */
export type { JSONRPCRequest, JSONRPCResponse } from "@modelcontextprotocol/sdk/types.js";
/** @ts-ignore */
export type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
