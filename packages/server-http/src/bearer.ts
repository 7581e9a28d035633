import { HttpAnswer, type HttpRequest } from "@resumable-mcp/mcp";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";

/** What a verified token says. */
export interface AuthInfo {
  readonly token: string;
  /** The subject, unless `extra.sub` says more exactly whose token it is. */
  readonly clientId: string;
  scopes: string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  readonly extra?: Record<string, unknown>;
}

/** Checks a bearer token; `undefined` when it is not valid. */
export type VerifyToken = (token: string) => Promise<AuthInfo | undefined> | AuthInfo | undefined;

/**
 * Finds out who calls, or refuses the request.
 *
 * Source: MCP 2025-11-25, Authorization, "Token Handling".
 */
export async function authenticate(
  request: HttpRequest,
  verifyToken: VerifyToken,
  metadataUrl: string,
): Promise<AuthInfo | HttpAnswer> {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(request.header("authorization") ?? "")?.[1];
  if (token === undefined) return unauthorized("Send a bearer token.", metadataUrl);
  const info = await verifyToken(token);
  if (info === undefined) return unauthorized("The token is not valid.", metadataUrl, "invalid_token");
  if (info.expiresAt !== undefined && info.expiresAt * 1000 <= Date.now()) {
    return unauthorized("The token has expired.", metadataUrl, "invalid_token");
  }
  return info;
}

function unauthorized(message: string, metadataUrl: string, error?: string): HttpAnswer {
  const reason = error === undefined ? "" : `error="${error}", error_description="${message}", `;
  const headers = { "www-authenticate": `Bearer ${reason}resource_metadata="${metadataUrl}"` };
  return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.notAccepted, message), 401, headers);
}
