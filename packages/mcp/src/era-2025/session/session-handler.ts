import { isJsonObject, isResumableError } from "@resumable-mcp/core";
import { storeFaults } from "@resumable-mcp/protocol";
import { parseCallMeta } from "../../call/call.js";
import { bringValidator } from "../../call/json-schema-validator.js";
import { asRpcError } from "../../call/rpc-error.js";
import { inputProblem, thrownResult } from "../../call/tool-result.js";
import { HttpAnswer, refusal } from "../../http/http-answer.js";
import { type HttpRequest, type RequestContext, readJsonBody } from "../../http/http-request.js";
import { type HttpHandler, toHandler } from "../../http/node-listener.js";
import { SseStream } from "../../http/sse-stream.js";
import { limits as allLimits, type SessionLimits } from "../../limits.js";
import { isClientId, unseenInClientId } from "../../owner/client-id.js";
import { noteLocality } from "../../owner/owner.js";
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo } from "../../sdk-2025.js";
import { forSdk } from "../../sdk-workarounds.js";
import { versions } from "../initialize.js";
import { isRequest as asks, isWellFormed, type Message2025, readMessage } from "../read-message.js";
import { parseEventId } from "./event-id.js";
import { SessionRegistry } from "./registry/session-registry.js";
import type { SessionHandlerOptions } from "./registry/session-server.js";
import type { Session2025 } from "./session.js";
import { draining, jsonAnswer, unavailable, unknownSession } from "./session-answers.js";

/**
 * Makes the handler of an MCP endpoint whose sessions, streams and calls survive the death of the process.
 *
 * Durability: a session is stored before its id goes out, and the task of a call before the first byte of its stream.
 * After a restart a session is rebuilt when its client comes back, and its calls go on from where the client saw them.
 *
 * Source: MCP 2025-11-25, Transports, "Streamable HTTP".
 * @example
 * http.createServer(createSessionHandler({ engine, createServer }).node).listen(3000);
 */
export function createSessionHandler(options: SessionHandlerOptions): HttpHandler {
  const registry = new SessionRegistry(options);
  const { engine, limits, onError } = registry;
  bringValidator(engine);
  const answer: HttpHandler["answer"] = async (request, context = {}) => {
    const acceptedMs = Date.now();
    try {
      const extra = extraOf(request, context);
      const read = request.method === "POST" ? await readPost(request, context, limits) : withoutBody(request);
      if (read instanceof HttpAnswer) {
        if (read.status >= 500) onError(new Error(String(read.body)));
        return read;
      }
      const { message } = read;
      const isRequest = message !== undefined && asks(message);
      const opens = isRequest && message.method === "initialize";
      if (engine.draining && isRequest && (opens || message.method === "tools/call")) return draining();
      if (opens && request.header("mcp-session-id") === undefined)
        return refusedName(message) ?? (await registry.open(message, extra, context.network));
      if (opens) return refusal(400, "Invalid Request: the session is initialized already.");
      const session = await findSession(registry, request, extra);
      if (session instanceof HttpAnswer) return session;
      const problem = inputProblem(engine, message);
      if (problem !== undefined && isRequest) return jsonAnswer(tooLarge(message, problem), session.id);
      // Keeps the session in memory while something that a client sent enters.
      session.entering += 1;
      try {
        if (isRequest ? message.method !== "ping" : request.method === "GET") await session.use();
        if (isRequest)
          return closingWith(
            extra,
            await session.request(message, extra, { acceptedMs, beforeCall: context.beforeCall }),
            true,
          );
        if (request.method === "GET") return closingWith(extra, await get(request, session, extra), false);
        if (message !== undefined) return await session.accept(message, extra);
        await registry.delete(session);
        return new HttpAnswer(200);
      } finally {
        session.entering -= 1;
      }
    } catch (error) {
      if (isResumableError(error, "DOCUMENT_CONFLICT")) return unknownSession();
      if (isResumableError(error, "INSUFFICIENT_SCOPE")) return refusal(403, error.message);
      onError(error);
      if (isResumableError(error, "NO_OWNER")) return refusal(401, error.message);
      if (isResumableError(error, "DOCUMENT_UNREADABLE")) return unknownSession();
      const isStoreFault = storeFaults.some((code) => isResumableError(error, code));
      if (isStoreFault) return unavailable("The server's store does not work at present. Try again later.");
      return refusal(500, "The server failed to carry out the request.");
    }
  };
  return toHandler(answer, () => registry.close());
}

/** What a client sent; nothing with GET and DELETE. */
interface Sent {
  readonly message: Message2025 | undefined;
}

function withoutBody(request: HttpRequest): Sent | HttpAnswer {
  if (request.method !== "GET" && request.method !== "DELETE") {
    return refusal(405, "Method not allowed.", { headers: { allow: "GET, POST, DELETE" } });
  }
  if (request.method === "GET" && !accepts(request, "text/event-stream")) {
    return refusal(406, "Not Acceptable: the client must accept text/event-stream.");
  }
  return { message: undefined };
}

async function readPost(
  request: HttpRequest,
  { parsedBody }: RequestContext,
  limits: SessionLimits,
): Promise<Sent | HttpAnswer> {
  if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
    return refusal(406, "Not Acceptable: the client must accept both application/json and text/event-stream.");
  }
  const read = parsedBody === undefined ? await readJsonBody(request, limits) : { value: parsedBody };
  if (read instanceof HttpAnswer) return read;
  const { value } = read;
  // A batch, which only the version 2025-03-26 knew, may hold one message.
  const body: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (Array.isArray(body))
    return refusal(400, "Invalid Request: batches are not supported. Send one message in each POST.");
  const idBytes = isJsonObject(body) && typeof body.id === "string" ? Buffer.byteLength(JSON.stringify(body.id)) : 0;
  if (idBytes > allLimits.maxRequestIdLength) {
    return refusal(
      400,
      `Invalid Request: the id has ${idBytes} bytes; the limit maxRequestIdLength is ${allLimits.maxRequestIdLength}.`,
    );
  }
  const message = readMessage(body);
  if (message === undefined) return refusal(400, "Invalid Request: the body is not a JSON-RPC 2.0 message.");
  if (!asks(message) || isWellFormed(message)) return { message };
  return refusal(400, "Invalid Request: the params or the _meta of the request are malformed.", { id: message.id });
}

/** A session would keep the name. */
function refusedName({ id, params }: JSONRPCRequest): HttpAnswer | undefined {
  const { clientId } = parseCallMeta(params?._meta);
  return clientId === undefined || isClientId(clientId) ? undefined : refusal(400, unseenInClientId, { id });
}

async function findSession(
  registry: SessionRegistry,
  request: HttpRequest,
  extra: MessageExtraInfo,
): Promise<Session2025 | HttpAnswer> {
  const sessionId = request.header("mcp-session-id");
  const version = request.header("mcp-protocol-version");
  if (sessionId === undefined) {
    return refusal(400, "Bad Request: the header Mcp-Session-Id is missing. Send an initialize request first.");
  }
  if (version !== undefined && !versions.includes(version)) {
    return refusal(400, `Bad Request: unsupported protocol version. Supported: ${versions.join(", ")}.`);
  }
  return (await registry.find(sessionId, extra)) ?? unknownSession();
}

async function get(request: HttpRequest, session: Session2025, extra: MessageExtraInfo): Promise<HttpAnswer> {
  const last = request.header("last-event-id");
  if (last === undefined) return session.listen(extra);
  const cursor = parseEventId(last);
  if (cursor === undefined)
    return refusal(400, "Bad Request: Last-Event-ID does not name an event of this server. Connect without it.");
  return session.resume(cursor, extra);
}

/** A stream ends when its caller's token does: the client resumes it with another one. */
function closingWith({ authInfo }: MessageExtraInfo, answer: HttpAnswer, named: boolean): HttpAnswer {
  if (answer.body instanceof SseStream) answer.body.closeWith(authInfo, { named });
  return answer;
}

function extraOf(request: HttpRequest, { authInfo, locality }: RequestContext): MessageExtraInfo {
  const requestInfo = { headers: request.headers, url: request.url };
  noteLocality(requestInfo, locality);
  return { requestInfo, authInfo };
}

function accepts(request: HttpRequest, type: string): boolean {
  return (request.header("accept") ?? "").includes(type);
}

/** As the call would be answered in the end: one that is to become a task has an error. */
function tooLarge({ id, params }: JSONRPCRequest, problem: unknown): JSONRPCMessage {
  if (params?.task === undefined) return forSdk({ jsonrpc: "2.0", id, result: thrownResult(problem) });
  const { code, message, data } = asRpcError(problem);
  return forSdk({ jsonrpc: "2.0", id, error: { code, message, data } });
}
