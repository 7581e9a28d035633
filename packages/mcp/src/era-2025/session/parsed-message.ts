import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import type { HttpAnswer } from "../../http/http-answer.js";
import { refusal } from "../../http/refusal.js";
import { forSdk } from "../../sdk-workarounds.js";

/** What a client posted. */
export type ParsedMessage =
  | { readonly kind: "request"; readonly message: JSONRPCRequest }
  | { readonly kind: "other"; readonly message: JSONRPCNotification | JSONRPCResponse };

/**
 * Takes the message out of a parsed body, or says what is wrong with it. A batch, which only the version 2025-03-26
 * knew, may hold one message.
 */
export function messageOfBody(value: unknown): ParsedMessage | HttpAnswer {
  const message: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (Array.isArray(message)) return refusal(400, "Invalid Request: send one message in each POST, no batch.");
  return parseMessage(message) ?? refusal(400, "Invalid Request: the body is no JSON-RPC 2.0 message.");
}

function parseMessage(value: unknown): ParsedMessage | undefined {
  if (!isJsonObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params } = value;
  const hasId = typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
  if (typeof method === "string") {
    if (params !== undefined && !isJsonObject(params)) return undefined;
    // The shape was checked above; what a method makes of its params is checked by its handler.
    if (hasId) return { kind: "request", message: forSdk(value) };
    return id === undefined ? { kind: "other", message: forSdk(value) } : undefined;
  }
  if (!hasId || (!isJsonObject(value.result) && !isJsonObject(value.error))) return undefined;
  return { kind: "other", message: forSdk(value) };
}
