import { rpcCodes } from "@resumable-mcp/protocol";
import { errorResult } from "../../call/tool-result.js";
import { HttpAnswer, refusal } from "../../http/http-answer.js";
import { SseStream } from "../../http/sse-stream.js";
import type { SessionLimits } from "../../limits.js";
import type { JSONRPCMessage } from "../../sdk-2025.js";
import { type Cursor, formatEventId, parseStreamName } from "./event-id.js";
import type { SessionDocument } from "./session-document.js";

/** Answers with one JSON-RPC message. @param text the same, where it was made already. */
export function jsonAnswer(message: JSONRPCMessage, sessionId: string, text = JSON.stringify(message)): HttpAnswer {
  return new HttpAnswer(200, { "content-type": "application/json", "mcp-session-id": sessionId }, text);
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

/** The session never was, or has ended. */
export function unknownSession(): HttpAnswer {
  return refusal(404, "Session not found. Open a new one.");
}

/** The event id is of no event that was sent. */
export function aheadEvent(): HttpAnswer {
  return refusal(400, "The event id is later than every event that this server sent. Connect without it.");
}

/** This process stops; the session, if there is one, continues at another. */
export function draining(): HttpAnswer {
  return unavailable("The server is about to stop. Try again in a few seconds.");
}

/** The same request can succeed soon. */
export function unavailable(message: string): HttpAnswer {
  return refusal(503, message, { headers: { "retry-after": "2" } });
}

/** Nothing is left to send: 405 makes clients stop asking, in silence. */
export function nothingLeft(): HttpAnswer {
  return new HttpAnswer(405, { allow: "POST, DELETE" });
}

/** Answers for a call that this process does not deliver: its client comes back for the answer. */
export function elsewhere(stream: string, sessionId: string, limits: SessionLimits): HttpAnswer {
  const answer = new SseStream(limits);
  void answer.write({ id: formatEventId({ stream, place: 0 }), data: "", retryMs: limits.drainRetryMs });
  answer.close();
  return streamAnswer(answer, sessionId);
}

/** Refuses one more of what a session may have so many of. */
export function tooMany(limit: keyof SessionLimits, limits: SessionLimits): HttpAnswer {
  const message = `This session has reached its limit ${limit} = ${limits[limit]}. Wait until something has finished.`;
  return refusal(429, message, { headers: { "retry-after": "1" } });
}

/** Refuses an answer that only another process can take. Source: RFC 9110, "421 Misdirected Request". */
export function misdirectedAnswer(): HttpAnswer {
  const message =
    "Another server process asked this, and only that process can take the answer. Tools without tasks that ask their client need each session's requests to reach one process: route by Mcp-Session-Id.";
  return refusal(421, message);
}

/** What the caller of a tool receives when the server cannot know whether the tool did its work. */
export function outcomeUnknown(tool: string) {
  const message = `The server restarted while ${tool} ran; it may or may not have taken effect. Check before calling again.`;
  return errorResult("OUTCOME_UNKNOWN", message);
}

/**
 * Answers for a call that this process does not know and that must not run twice. `undefined` when the cursor names no
 * such call.
 */
export function lostAnswer(
  cursor: Cursor,
  { id, value }: SessionDocument,
  limits: SessionLimits,
): HttpAnswer | undefined {
  const lost = parseStreamName(value.key, cursor.stream);
  if (lost?.kind !== "once") return undefined;
  const { requestId, method, tool } = lost;
  const message: JSONRPCMessage =
    tool === undefined
      ? {
          jsonrpc: "2.0",
          id: requestId,
          error: {
            code: rpcCodes.internalError,
            message: `The server restarted while it answered ${method}. Ask again.`,
          },
        }
      : { jsonrpc: "2.0", id: requestId, result: { ...outcomeUnknown(tool) } };
  const stream = new SseStream(limits);
  void stream.write({ id: formatEventId(cursor), data: "" });
  void stream.write({ id: formatEventId({ ...cursor, place: cursor.place + 1 }), data: JSON.stringify(message) });
  stream.close();
  return streamAnswer(stream, id);
}
