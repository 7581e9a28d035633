import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { SseStream } from "./sse-stream.js";

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
