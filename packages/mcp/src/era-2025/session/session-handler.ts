import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import type {
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
} from "@modelcontextprotocol/sdk/types.js";
import { type Engine, isJsonObject, isResumableError } from "@resumable-mcp/core";
import { bringValidator } from "../../call/json-schema-validator.js";
import { HttpAnswer, refusal } from "../../http/http-answer.js";
import { type HttpRequest, ofWebRequest, readJsonBody } from "../../http/http-request.js";
import { listenerOf, type NodeListener } from "../../http/node-listener.js";
import { type SessionLimits, sessionLimits } from "../../limits.js";
import { type Locality, noteLocality, subjectOf } from "../../owner/owner.js";
import { forSdk } from "../../sdk-workarounds.js";
import { parseEventId } from "./event-id.js";
import type { Session2025 } from "./session.js";
import type { CreateServer } from "./session-context.js";
import { SessionRegistry } from "./session-registry.js";

/** How sessions are served. */
export interface SessionHandlerOptions {
  readonly engine: Engine;
  /**
   * Makes the server of one session, with `registerTools` done. Called again after a restart, when the session's client
   * comes back.
   */
  readonly createServer: CreateServer;
  readonly limits?: Partial<SessionLimits>;
  /** Hears of what failed unexpectedly. */
  readonly onError?: (error: unknown) => void;
}

/** What a web server has found out about a request before. */
export interface FetchContext {
  readonly authInfo?: AuthInfo;
  /** Whether only the user of this machine can have sent it. */
  readonly locality?: Locality;
  /** The body, where it was read already. */
  readonly parsedBody?: unknown;
}

/** Serves sessions of the 2025 era. */
export interface SessionHandler {
  /** Answers one request to the MCP endpoint. */
  fetch(request: Request, context?: FetchContext): Promise<Response>;
  /** The same without Web-standard requests and answers. */
  answer(request: HttpRequest, context?: FetchContext): Promise<HttpAnswer>;
  /** The same as a listener for `http.createServer`. */
  readonly node: NodeListener;
  /** Ends all streams, so that their clients come back later, and writes down what is not written yet. */
  close(): Promise<void>;
}

/** Source: MCP, Versioning: the versions that have sessions. */
const versions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/**
 * Makes the handler of an MCP endpoint whose sessions, streams and calls survive the death of the process.
 *
 * Durability: a session is stored before its id goes out, and a durable call before the first byte of its stream.
 * After a restart a session is rebuilt when its client comes back, and its calls go on from where the client saw them.
 *
 * Source: MCP 2025-11-25, Transports, "Streamable HTTP".
 * @example
 * http.createServer(createSessionHandler({ engine, createServer }).node).listen(3000);
 */
export function createSessionHandler(options: SessionHandlerOptions): SessionHandler {
  const { engine, createServer, onError = () => {} } = options;
  const limits: SessionLimits = { ...sessionLimits, ...options.limits };
  bringValidator(engine);
  const registry = new SessionRegistry({ engine, createServer, limits, onError });
  const endpoint = { registry, engine, limits };
  const answer: SessionHandler["answer"] = async (request, { authInfo, locality, parsedBody } = {}) => {
    const sessionId = request.header("mcp-session-id");
    try {
      const extra = extraOf(request, authInfo, locality);
      const caller = { sessionId, principal: subjectOf(authInfo), extra, parsedBody };
      return await answerCaller(endpoint, request, caller);
    } catch (error) {
      if (isResumableError(error, "DOCUMENT_CONFLICT")) return unknownSession();
      onError(error);
      return refusal(500, "The server failed to carry out the request.");
    }
  };
  return {
    answer,
    fetch: async (request, context) => (await answer(ofWebRequest(request), context)).toWeb(),
    node: listenerOf((request) => answer(request)),
    close: () => registry.close(),
  };
}

interface Endpoint {
  readonly registry: SessionRegistry;
  readonly engine: Engine;
  readonly limits: SessionLimits;
}

interface Caller {
  readonly sessionId: string | undefined;
  readonly principal: string | undefined;
  readonly extra: MessageExtraInfo;
  readonly parsedBody: unknown;
}

async function answerCaller(endpoint: Endpoint, request: HttpRequest, caller: Caller): Promise<HttpAnswer> {
  if (request.method === "POST") return post(endpoint, request, caller);
  if (request.method !== "GET" && request.method !== "DELETE") return methodNotAllowed();
  if (request.method === "GET" && !accepts(request, "text/event-stream")) {
    return refusal(406, "Not Acceptable: the client must accept text/event-stream.");
  }
  const session = await sessionOf(endpoint, request, caller);
  if (session instanceof HttpAnswer) return session;
  if (request.method === "GET") return session.enter(() => get(request, session, caller));
  await endpoint.registry.delete(session);
  return new HttpAnswer(200);
}

async function sessionOf(
  { registry }: Endpoint,
  request: HttpRequest,
  caller: Caller,
): Promise<Session2025 | HttpAnswer> {
  const { sessionId, principal, extra } = caller;
  const version = request.header("mcp-protocol-version");
  if (sessionId === undefined) {
    return refusal(400, "Bad Request: the header Mcp-Session-Id is missing. Send an initialize request first.");
  }
  if (version !== undefined && !versions.includes(version)) {
    return refusal(400, `Bad Request: unsupported protocol version. Supported: ${versions.join(", ")}.`);
  }
  return (await registry.find(sessionId, principal, extra)) ?? unknownSession();
}

async function post(endpoint: Endpoint, request: HttpRequest, caller: Caller): Promise<HttpAnswer> {
  if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
    return refusal(406, "Not Acceptable: the client must accept both application/json and text/event-stream.");
  }
  const parsed =
    caller.parsedBody === undefined
      ? await readJsonBody(request, endpoint.limits.maxBodyBytes)
      : { value: caller.parsedBody };
  const body = parsed instanceof HttpAnswer ? parsed : messageOfBody(parsed.value);
  if (body instanceof HttpAnswer) return body;
  if (body.kind === "request" && !(await isWellFormed(body.message))) {
    return refusal(400, "Invalid Request: its params or its _meta are malformed.", { id: body.message.id });
  }
  const isCall = body.kind === "request" && ["initialize", "tools/call"].includes(body.message.method);
  if (isCall && endpoint.engine.draining) return draining();
  if (body.kind === "request" && body.message.method === "initialize") {
    if (caller.sessionId !== undefined) return refusal(400, "Invalid Request: the session is initialized already.");
    return endpoint.registry.open(body.message, caller.principal, caller.extra);
  }
  const session = await sessionOf(endpoint, request, caller);
  if (session instanceof HttpAnswer) return session;
  if (body.kind === "request") return session.enter(() => session.request(body.message, caller.extra));
  await session.enter(() => session.accept(body.message, caller.extra));
  return new HttpAnswer(202);
}

/** Asking for a module that is there already costs a call more than the check itself. */
let sdkSchemas: Promise<typeof import("@modelcontextprotocol/sdk/types.js")> | undefined;

/** The server behind says nothing at all to a request that does not fit the SDK's own schema. */
async function isWellFormed(request: JSONRPCRequest): Promise<boolean> {
  sdkSchemas ??= import("@modelcontextprotocol/sdk/types.js");
  const { isJSONRPCRequest } = await sdkSchemas;
  const name = request.params?.name;
  return isJSONRPCRequest(request) && (request.method !== "tools/call" || typeof name === "string");
}

function get(request: HttpRequest, session: Session2025, { extra }: Caller): Promise<HttpAnswer> | HttpAnswer {
  const last = request.header("last-event-id");
  if (last === undefined) return session.listen();
  const cursor = parseEventId(last);
  if (cursor === undefined) return refusal(400, "Bad Request: Last-Event-ID names no event of this server.");
  return session.resume(cursor, extra);
}

function extraOf(request: HttpRequest, authInfo?: AuthInfo, locality?: Locality): MessageExtraInfo {
  const requestInfo = { headers: request.headers, url: request.url };
  noteLocality(requestInfo, locality);
  return authInfo === undefined ? { requestInfo } : { requestInfo, authInfo };
}

function accepts(request: HttpRequest, type: string): boolean {
  return (request.header("accept") ?? "").includes(type);
}

function unknownSession(): HttpAnswer {
  return refusal(404, "Session not found. Open a new one.");
}

function methodNotAllowed(): HttpAnswer {
  return refusal(405, "Method not allowed.", { headers: { allow: "GET, POST, DELETE" } });
}

function draining(): HttpAnswer {
  return refusal(503, "The server is about to stop. Try again in a few seconds.", { headers: { "retry-after": "2" } });
}

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
  return parseMessage(message) ?? refusal(400, "Invalid Request: the body is not a JSON-RPC 2.0 message.");
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
