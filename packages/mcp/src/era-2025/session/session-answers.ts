import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { HttpAnswer } from "../../http/http-answer.js";
import type { SseStream } from "./sse-stream.js";

/** Answers with one JSON-RPC message. */
export function jsonAnswer(message: JSONRPCMessage, sessionId: string): HttpAnswer {
  return HttpAnswer.json(message, 200, { "mcp-session-id": sessionId });
}

/** Answers with a stream of events. */
export function streamAnswer(stream: SseStream, sessionId: string): HttpAnswer {
  return new HttpAnswer(200, eventStreamHeaders(sessionId), stream);
}

/** The headers of a stream of events. */
export function eventStreamHeaders(sessionId: string): Record<string, string> {
  return {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    // Proxies that buffer would hold back progress.
    "x-accel-buffering": "no",
    "mcp-session-id": sessionId,
  };
}

/** Nothing is left to send: 405 makes clients stop asking, in silence. */
export function nothingLeft(): HttpAnswer {
  return new HttpAnswer(405, { allow: "POST, DELETE" });
}
