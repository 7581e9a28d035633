import { classifyInboundRequest, UnsupportedProtocolVersionError } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { isRequestId } from "../call/call.js";
import { RpcError } from "../call/rpc-error.js";
import type { Request2026 } from "./call-2026.js";
import { revision } from "./discovery.js";

/** A message of a client, whose envelope fits the SDK's schema. */
export interface Message2026 {
  /** Absent for a notification. */
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: JsonObject;
}

/** A message that wants an answer. */
export type Asking2026 = Message2026 & { readonly id: string | number };

/** Why a message cannot be answered. */
export interface Refused {
  readonly status: number;
  readonly error: RpcError;
}

/** The headers of HTTP that say what a message is. */
export type HeaderOf = (name: string) => string | undefined;

/** Reads a message of the 2026 era. @param header of the HTTP request that it came by. */
export function readMessage(body: unknown, header: HeaderOf = () => undefined): Message2026 | Refused {
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    body,
    protocolVersionHeader: header("mcp-protocol-version"),
    mcpMethodHeader: header("mcp-method"),
    mcpNameHeader: header("mcp-name"),
  });
  if (outcome.kind === "reject") return { status: outcome.httpStatus, error: refusal(outcome) };
  const { method, id, params }: JsonObject = isJsonObject(body) ? body : {};
  if (outcome.kind === "modern" && outcome.classification.revision === revision && typeof method === "string")
    return { id: isRequestId(id) ? id : undefined, method, params: isJsonObject(params) ? params : {} };
  if (outcome.kind === "legacy" && outcome.reason === "notification")
    return { id: undefined, method: String(method), params: {} };
  const requested = outcome.kind === "modern" ? outcome.classification.revision : outcome.requestedVersion;
  return {
    status: 400,
    error: refusal(new UnsupportedProtocolVersionError({ supported: [revision], requested: requested ?? "unknown" })),
  };
}

function refusal({ code, message, data }: { code: number; message: string; data?: unknown }): RpcError {
  return new RpcError(code, message, data === undefined ? undefined : JSON.parse(JSON.stringify(data)));
}

/** What a request's params say of it. */
export function requestFacts(
  id: string | number,
  { _meta, requestState, inputResponses }: JsonObject,
): Pick<Request2026, "id" | "meta" | "requestState" | "inputResponses"> {
  return {
    id,
    meta: isJsonObject(_meta) ? _meta : {},
    requestState,
    inputResponses: isJsonObject(inputResponses) ? inputResponses : undefined,
  };
}
