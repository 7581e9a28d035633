import type { VerifyToken } from "./bearer.js";

/** Scopes, and which others each of them includes. */
export type ImpliedScopes = Readonly<Record<string, readonly string[]>>;

/**
 * Wraps a verifier for an authorization server whose scopes include others: a token has also the scopes that its own ones
 * include, and those that these include.
 *
 * Source: MCP 2026-07-28, Authorization, "Step-Up Authorization Flow": servers account for scope hierarchies.
 */
export function withImpliedScopes(verifyToken: VerifyToken, implied: ImpliedScopes): VerifyToken {
  const included = new Map(Object.entries(implied));
  return async (token) => {
    const info = await verifyToken(token);
    // Anything but a list of scopes is refused where all verifiers are checked.
    if (!Array.isArray(info?.scopes)) return info;
    const scopes = new Set(info.scopes);
    // A set also passes through what is added to it meanwhile.
    for (const scope of scopes) for (const other of included.get(scope) ?? []) scopes.add(other);
    return { ...info, scopes: [...scopes] };
  };
}
