import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { SseStream } from "./sse-stream.js";

/** JSON-RPC numbers that go with an HTTP status; MCP 2025-11-25, Transports, "Streamable HTTP". */
const rpcCodes: { readonly [status: number]: number } = { 400: -32600, 404: -32001, 413: -32600, 500: -32603 };
const otherRpcCode = -32000;

/** An answer that refuses a request: the status for HTTP, and a JSON-RPC error with a sentence for people. */
export function refusal(
  status: number,
  message: string,
  options: { readonly code?: number; readonly headers?: Record<string, string>; readonly id?: RequestId } = {},
): Response {
  const code = options.code ?? rpcCodes[status] ?? otherRpcCode;
  const body = { jsonrpc: "2.0", id: options.id ?? null, error: { code, message } };
  return Response.json(body, { status, ...(options.headers === undefined ? {} : { headers: options.headers }) });
}

/** Answers with one JSON-RPC message. */
export function jsonAnswer(message: JSONRPCMessage, sessionId: string): Response {
  return Response.json(message, { headers: { "mcp-session-id": sessionId } });
}

/** Answers with a stream of events. */
export function streamAnswer(stream: SseStream, sessionId: string): Response {
  return new Response(stream.body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      // Proxies that buffer would hold back progress.
      "x-accel-buffering": "no",
      "mcp-session-id": sessionId,
    },
  });
}

/** Nothing is left to send: 405 makes clients stop asking, in silence. */
export function nothingLeft(): Response {
  return new Response(null, { status: 405, headers: { allow: "POST, DELETE" } });
}
