import { type ErrorCode, isJsonObject, isResumableError, type Json, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { withReadableError } from "../sdk-workarounds.js";

/** An error as it goes over the wire. Source: JSON-RPC 2.0, "Error object". */
export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** A JSON-RPC error that a method handler throws; the SDK reads code and data off it. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** As it goes over the wire. */
  get body(): JsonObject {
    const { code, message, data } = this;
    return { code, message, ...(data !== undefined && { data }) };
  }

  static of({ code, message, data }: RpcErrorBody): RpcError {
    return new RpcError(code, message, data);
  }
}

/** The error of a response of an SDK's server, so that people can read it. */
export function readableError(given: unknown): RpcError {
  const { error }: { error: unknown } = withReadableError({ error: given });
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {};
  return new RpcError(typeof code === "number" ? code : rpcCodes.internalError, toText(message), data);
}

/** Errors that no change of the request would avoid. */
const serverFailures: readonly ErrorCode[] = [
  "DRAINING",
  "STORE_WRITE_FAILED",
  "STORE_READ_FAILED",
  "STORE_LAYOUT",
  "STORE_MISSING",
  "STORE_CLOSED",
  "STORE_ENCRYPTED",
  "STORE_NOT_ENCRYPTED",
  "KEY_MISSING",
  "TASK_CORRUPT",
  "DOCUMENT_UNREADABLE",
];

/** Maps what the engine refuses to JSON-RPC: a caller's mistake is -32602, a failure of the server -32603. */
export function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (isResumableError(error)) {
    const code = serverFailures.includes(error.code) ? rpcCodes.internalError : rpcCodes.invalidParams;
    return new RpcError(code, error.message, { code: error.code });
  }
  return new RpcError(rpcCodes.internalError, "The server failed to carry out the request. Its log says more.");
}
