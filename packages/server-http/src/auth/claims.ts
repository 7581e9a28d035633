import { userClaims } from "@resumable-mcp/mcp/internal";
import type { AuthInfo } from "./bearer.js";

/** What an authorization server says of a token, in a JWT or in answer to an introspection request. */
export interface Claims {
  readonly [claim: string]: unknown;
}

/**
 * Reads what concerns this server out of what was verified of a token.
 *
 * Source: RFC 9068, section 2.2; RFC 7662, section 2.2. `azp`, `cid`, `appid` and `scp` are what hosted providers write
 * for `client_id` and `scope`.
 */
export function toAuthInfo(token: string, claims: Claims, issuer: string, expiresAt: number | undefined): AuthInfo {
  const { sub, aud } = claims;
  const clientId = ["client_id", "azp", "cid", "appid"].map((name) => claims[name]).find(isName);
  return {
    token,
    // A user's token that names no client must not look like a client's own.
    clientId: clientId ?? issuer,
    scopes: [...namesIn(claims.scope), ...namesIn(claims.scp)],
    expiresAt,
    extra: { iss: issuer, sub, aud, ...Object.fromEntries(userClaims.map((name) => [name, claims[name]])) },
  };
}

/**
 * Whether a token is a bearer token for this server, of a user or a client. Whether it says whose it is, `ownerOfToken` finds
 * out for all verifiers. One with `cnf` is for the holder of a key alone, which nothing here can prove. Source: RFC 7800.
 */
export function isMeant(audiences: readonly string[], claims: Claims): boolean {
  return isFor(audiences, claims) && namesOwner(claims) && (claims.cnf ?? undefined) === undefined;
}

function namesOwner(claims: Claims): boolean {
  return isName(claims.client_id) || ["sub", ...userClaims].some((name) => claims[name] !== undefined);
}

/**
 * Whether a token was issued for this server. Capitals count the same in scheme and host alone.
 *
 * Source: RFC 8707, section 2; MCP, Authorization, "Token Audience Binding and Validation" and "Canonical Server URI".
 */
function isFor(audiences: readonly string[], { aud }: Claims): boolean {
  const names = audiences.map(canonicalName);
  return (Array.isArray(aud) ? aud : [aud]).some(
    (one) => typeof one === "string" && names.includes(canonicalName(one)),
  );
}

function canonicalName(name: string): string {
  return name.replace(/^https?:\/\/[^/?#]*/i, (origin) => origin.toLowerCase());
}

/** Texts with spaces between them, or a list. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.split(" ").filter(isName);
  return Array.isArray(value) ? value.filter(isName) : [];
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
