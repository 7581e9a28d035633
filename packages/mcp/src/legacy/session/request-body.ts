import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { refusal } from "./http-answer.js";

/** What a client posted. */
export type ParsedBody =
  | { readonly kind: "request"; readonly message: JSONRPCRequest }
  | { readonly kind: "other"; readonly message: JSONRPCNotification | JSONRPCResponse };

/**
 * Reads and parses the body of a POST, or says what is wrong with it.
 *
 * Limits: `maxBodyBytes`, also of a body that does not say its length. A batch, which only the version 2025-03-26
 * knew, may hold one message. Source: MCP 2025-11-25, Transports, "Sending Messages to the Server".
 */
export async function readBody(request: Request, maxBodyBytes: number): Promise<ParsedBody | Response> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    return refusal(415, "Unsupported Media Type: Content-Type must be application/json.");
  const text = await readText(request, maxBodyBytes);
  if (text === undefined) return refusal(413, `The body is larger than maxBodyBytes = ${maxBodyBytes}.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal(400, "Parse error: the body is not JSON.", { code: -32700 });
  }
  const message: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (Array.isArray(message)) return refusal(400, "Invalid Request: send one message in each POST, no batch.");
  return parseMessage(message) ?? refusal(400, "Invalid Request: the body is no JSON-RPC 2.0 message.");
}

async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined;
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseMessage(value: unknown): ParsedBody | undefined {
  if (!isJsonObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params } = value;
  const hasId = typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
  if (typeof method === "string") {
    if (params !== undefined && !isJsonObject(params)) return undefined;
    // The shape was checked above; what a method makes of its params is checked by its handler.
    if (hasId) return { kind: "request", message: value as unknown as JSONRPCRequest };
    return id === undefined ? { kind: "other", message: value as unknown as JSONRPCNotification } : undefined;
  }
  if (!hasId || (!isJsonObject(value.result) && !isJsonObject(value.error))) return undefined;
  return { kind: "other", message: value as unknown as JSONRPCResponse };
}
