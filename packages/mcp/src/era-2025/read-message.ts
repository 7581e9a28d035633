import { isJsonObject } from "@resumable-mcp/core";
import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from "../sdk-2025.js";
import { forSdk } from "../sdk-workarounds.js";

/** What a client sends. */
export type Message2025 = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/** Reads a message. The shape alone is checked; what a method makes of its params is checked by its handler. */
export function readMessage(value: unknown): Message2025 | undefined {
  if (!isJsonObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params } = value;
  const hasId = typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
  const fits =
    typeof method === "string"
      ? (params === undefined || isJsonObject(params)) && (hasId || id === undefined)
      : hasId && (isJsonObject(value.result) || isJsonObject(value.error));
  return fits ? forSdk(value) : undefined;
}

/** Tells whether a message is a request. */
export function isRequest(message: Message2025): message is JSONRPCRequest {
  return "method" in message && "id" in message;
}

/** Whether a request has nothing else in it, and its `_meta` and the name of its tool are what they should be. Source: MCP, Basic, "_meta". */
export function isWellFormed(request: JSONRPCRequest): boolean {
  const { jsonrpc: _version, id: _id, method, params = {}, ...others } = request;
  if (Object.keys(others).length > 0) return false;
  const { _meta: meta = {}, name } = params;
  if (!isJsonObject(meta) || (method === "tools/call" && typeof name !== "string")) return false;
  const { progressToken = "", "io.modelcontextprotocol/related-task": related = { taskId: "" } } = meta;
  const isToken = typeof progressToken === "string" || Number.isInteger(progressToken);
  return isToken && isJsonObject(related) && typeof related.taskId === "string";
}
