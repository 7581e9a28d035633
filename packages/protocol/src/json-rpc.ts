/** The codes of JSON-RPC errors that this toolkit sends or reads. Source: JSON-RPC 2.0, "Error object"; MCP. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** A transport refuses the request for a reason without a code of its own. */
  refused: -32_000,
  /** The session is unknown, or the request has no valid token. */
  notAccepted: -32_001,
  /** The client lacks a capability that the request needs. Source: MCP 2026-07-28, "Errors". */
  missingCapability: -32_021,
  /** The user has to open a URL before the request can be made. Source: MCP 2025-11-25, Elicitation, "URL Elicitation Required Error". */
  urlRequired: -32_042,
  /** Inside the client: the stream ended before the response came. */
  streamEnded: -32_099,
} as const;

/**
 * Codes of this toolkit with which a server says that its store does not work at present. What such an error ended had no
 * effect yet, or may be repeated. Source: docs/errors.md.
 */
export const storeFaults = ["STORE_WRITE_FAILED", "STORE_READ_FAILED", "STORE_MISSING", "STORE_CLOSED"] as const;

/** The id of a request. */
export type RpcId = string | number;

/** Reads the id of a message; `null` when it has none that a response could name. */
export function readRpcId(id: unknown): RpcId | null {
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}

/** A JSON-RPC error response; its id is `null` where the request has no readable id. */
export type RpcErrorResponse<Id = RpcId | null> = {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly error: { readonly code: number; readonly message: string };
};

/** Makes an error response. */
export function rpcErrorResponse<Id>(id: Id, code: number, message: string): RpcErrorResponse<Id> {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
