import { isJsonObject, isResumableError } from "@resumable-mcp/core";
import { startTimeLimit } from "@resumable-mcp/core/internal";
import { type HttpRequest, ownerOfToken } from "@resumable-mcp/mcp";
import { authLimits } from "./limits.js";

/** What a verified token says. */
export interface AuthInfo {
  readonly token: string;
  /** The program that the token was given to. */
  readonly clientId: string;
  scopes: string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /**
   * Claims. `sub`: the user whose token it is, else `username`; without any claim that names a user, the tasks are the program's.
   * `iss`: who issued it.
   */
  readonly extra?: Record<string, unknown>;
}

/** A token that was accepted. */
export interface AdmittedToken extends AuthInfo {
  /** Calls back once when the token counts no more before it expires; the returned function prevents it. */
  readonly whenRevoked?: (onRevoked: () => void) => () => void;
}

/**
 * Checks a bearer token; `undefined` or `null` when it is not valid. It may also throw what `jose` and the SDK's
 * `InvalidTokenError` say of such a token. Any other error is the server's own failure: the caller gets status 500, or 503
 * where there is no answer within `verifyTokenTimeoutMs`, and keeps its token.
 */
export type VerifyToken = (token: string) => Promise<AuthInfo | null | undefined> | AuthInfo | null | undefined;

/** Tokens cannot be checked at present, mostly since their authorization server is away: the caller gets status 503 and keeps its token. */
export class AuthorizationServerAway extends Error {
  override readonly name = "AuthorizationServerAway";
}

/** What a request's token says, or why it is refused; `why` is for the log. */
export type TokenVerdict =
  | { readonly info: AuthInfo }
  | { readonly refused: "missing" | "malformed" | "invalid" | "expired"; readonly why?: string }
  | { readonly failed: unknown };

/**
 * Finds out who calls. Never throws.
 *
 * Source: MCP 2025-11-25, Authorization, "Token Handling" and "Error Handling"; RFC 6750, sections 2.1 and 3.1.
 */
export async function readToken(
  request: Pick<HttpRequest, "header">,
  verifyToken: VerifyToken,
  timeoutMs: number,
): Promise<TokenVerdict> {
  const header = request.header("authorization") ?? "";
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1];
  if (token === undefined) return { refused: /^Bearer( |$)/i.test(header) ? "malformed" : "missing" };
  if (token.length > authLimits.maxTokenLength) return { refused: "invalid" };
  try {
    const info = await within(timeoutMs, verifyToken(token));
    if (info === undefined || info === null) return { refused: "invalid" };
    checkInfo(info);
    ownerOfToken(info);
    return info.expiresAt === undefined || info.expiresAt * 1000 > Date.now() ? { info } : { refused: "expired" };
  } catch (error) {
    // All users of a client whom a token does not tell apart would be one owner.
    if (isResumableError(error, "NO_OWNER")) return { refused: "invalid", why: error.message };
    return saysInvalid(error) ? { refused: "invalid" } : { failed: error };
  }
}

async function within<T>(timeoutMs: number, promise: Promise<T> | T): Promise<T> {
  let stop = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    const message = `verifyToken has not answered within ${timeoutMs} ms.`;
    stop = startTimeLimit(timeoutMs, () => reject(new AuthorizationServerAway(message)));
  });
  return Promise.race([promise, late]).finally(stop);
}

/**
 * Checks what an author's own function gave. All callers without a name would be one owner. A token whose end is not a number
 * would never end. A scope would be found in a text that only contains it.
 */
function checkInfo({ clientId, expiresAt, scopes, extra }: AuthInfo): void {
  if (typeof clientId !== "string" || clientId === "") throw new Error("verifyToken gave no clientId.");
  const areScopes = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  if (!areScopes) throw new Error("verifyToken gave scopes that are not a list of texts.");
  if (extra !== undefined && !isJsonObject(extra)) throw new Error("verifyToken gave an extra that is not an object.");
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    throw new Error("verifyToken gave an expiresAt that is not a number of seconds.");
  }
}

/** Whether an error says that the token is not valid: `jose` has a code for each reason, the SDK's errors that of OAuth. */
function saysInvalid(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const codes = ["code", "errorCode"].map((key) => Reflect.get(error, key));
  return codes.some((code) => code === "invalid_token" || (typeof code === "string" && joseInvalid.test(code)));
}

const joseInvalid =
  /^ERR_(JWT|JWS|JWE)_|^ERR_JOSE_(ALG_NOT_ALLOWED|NOT_SUPPORTED)$|^ERR_JWKS_(NO|MULTIPLE)_MATCHING_KEYS?$/;
