import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { JsonFields, rpcCodes } from "@resumable-mcp/protocol";
import { isStoreFault, LinkFailure } from "../connection/link.js";

/** Codes of sockets that were never connected: nothing was sent. */
const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "EACCES",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Codes of a TLS handshake that failed: nothing was sent. */
const tlsReasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an unknown authority",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS",
};

const socketReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name server does not answer",
  ENOENT: "command not found",
  EACCES: "permission denied",
};

/** Says what is known of a request that the SDK reports as failed. */
export function classifyFailure(error: unknown, context: { readonly inSession: boolean }): LinkFailure {
  if (error instanceof LinkFailure) return error;
  if (error instanceof StreamableHTTPError) return classifyStatus(error, context.inSession);
  if (error instanceof McpError) {
    const broken = error.code === rpcCodes.streamEnded || error.code === ErrorCode.ConnectionClosed;
    const away = isStoreFault(JsonFields.of(error.data)?.text("code"));
    return new LinkFailure(broken || away ? "broken" : "answer", withoutPrefix(error.message), error);
  }
  const code = socketCode(error);
  const tls = code === undefined ? undefined : tlsReasons[code];
  if (tls !== undefined) return new LinkFailure("untrusted", tls, error);
  if (isParserError(error)) return new LinkFailure("not_mcp", "it does not speak HTTP", error);
  if (code !== undefined) {
    const reason = socketReasons[code] ?? code;
    return new LinkFailure(neverConnected.has(code) ? "unreachable" : "broken", reason, error);
  }
  if (error instanceof Error && error.name === "ZodError") {
    return new LinkFailure("answer", "its answer is not what the protocol defines", error);
  }
  // The SDK's words for a handshake with a server of a version that it does not know.
  const message = innermostMessage(error);
  const foreign = /protocol version is not supported: (.*)/.exec(message)?.[1];
  if (foreign !== undefined) return new LinkFailure("not_mcp", `it speaks version ${foreign} of the protocol`, error);
  return new LinkFailure("broken", message, error);
}

/** What `fetch` throws says only that it failed; the reason is in its cause. */
function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function classifyStatus(error: StreamableHTTPError, inSession: boolean): LinkFailure {
  const status = error.code ?? -1;
  const reason = status > 0 ? `HTTP ${status}` : withoutPrefix(error.message);
  if (status === 401) return new LinkFailure("unauthorized", reason, error);
  // The server says which scopes the token lacks.
  if (status === 403) return new LinkFailure("unauthorized", [reason, ...sentenceIn(error.message)].join(": "), error);
  // A full session may be full for a while: calls that died count for some seconds. Every other session finds the tasks.
  const isFull = status === 429 && error.message.includes("maxOpenCalls");
  if (inSession && isFull) return new LinkFailure("session_lost", "the session has too many open calls", error);
  if (status === 429 || status === 503) return new LinkFailure("unreachable", reason, error);
  if (status >= 500) return new LinkFailure("broken", reason, error);
  const sessionEnded = status === 404 || (status === 400 && /session/i.test(error.message));
  if (inSession && sessionEnded) return new LinkFailure("session_lost", "the session has ended", error);
  if (inSession && status >= 400) return new LinkFailure("answer", `${reason}: ${error.message}`, error);
  return new LinkFailure("not_mcp", reason, error);
}

/** What a server says of its refusal, in the body that the SDK's message ends with. */
function sentenceIn(message: string): readonly string[] {
  try {
    const { error } = Object(JSON.parse(message.slice(message.indexOf("{"))));
    return typeof error?.message === "string" ? [error.message] : [];
  } catch {
    return [];
  }
}

/** The code of such an error differs between versions of Node; its name does not. */
function isParserError(error: unknown): boolean {
  return causesOf(error).some(({ name }) => name === "HTTPParserError");
}

/** Finds the system's code in an error or in what caused it. */
function socketCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
    if (cause instanceof AggregateError && cause.errors.length > 0) return socketCode(cause.errors[0]);
  }
  return undefined;
}

/**
 * Tells whether a connection may succeed a moment later: this machine itself refused it, as nothing listens at the port, or its
 * other end closed it. Of another machine, a firewall may refuse as well.
 */
export function mayBeStarting(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const tried: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
    return tried.length > 0 && tried.every(isOfStart);
  });
}

function isOfStart(error: unknown): boolean {
  const { code, address }: { code?: unknown; address?: unknown } = Object(error);
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") return true;
  return code === "ECONNREFUSED" && typeof address === "string" && /^(127\.|::1$|::ffff:127\.)/.test(address);
}

const maxCauses = 5;

/** An error, what caused it, what caused that, and so on. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let current = error; current instanceof Error && causes.length < maxCauses; current = current.cause)
    causes.push(current);
  return causes;
}

function withoutPrefix(message: string): string {
  return message.replace(/^(MCP error -?\d+: |Streamable HTTP error: )/, "");
}
