import { AuthorizationServerAway } from "./bearer.js";
import { authLimits } from "./limits.js";
import { secureUrl } from "./metadata.js";

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * Makes what asks an authorization server. After a failure it is not asked again for `retryFetchMs`: a server that is away
 * costs each caller little, and is not overrun when it returns.
 *
 * Limits: `fetchTimeoutMs`. @throws {@link AuthorizationServerAway}.
 */
export function createPatientFetch(fetch: Fetch = globalThis.fetch): Fetch {
  let failed: { readonly error: AuthorizationServerAway; readonly atMs: number } | undefined;
  return async (url, init = {}) => {
    if (failed !== undefined && performance.now() - failed.atMs < authLimits.retryFetchMs) throw failed.error;
    try {
      const signal = AbortSignal.timeout(authLimits.fetchTimeoutMs);
      const response = await fetch(url, { ...init, signal, redirect: "error" });
      if (response.status !== 200 && response.status !== 404) throw new Error(`Status ${response.status}.`);
      failed = undefined;
      return response;
    } catch (cause) {
      const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : "";
      failed = {
        error: new AuthorizationServerAway(`${url} could not be asked: ${why}`, { cause }),
        atMs: performance.now(),
      };
      throw failed.error;
    }
  };
}

/**
 * Finds the address of an authorization server's keys.
 *
 * Source: RFC 8414, section 3; OpenID Connect Discovery 1.0, section 4; MCP, Authorization, "Authorization Server Metadata
 * Discovery", for the order.
 * @throws {@link AuthorizationServerAway} also when its metadata is of another issuer, or names no keys.
 */
export async function discoverKeys(issuer: string, fetch: Fetch): Promise<URL> {
  for (const url of metadataUrls(issuer)) {
    const response = await fetch(url, { headers: { accept: "application/json" } });
    if (response.status !== 200) continue;
    const metadata: unknown = await response.json().catch(() => undefined);
    const { issuer: named, jwks_uri: keys } = Object(metadata);
    if (named !== issuer) throw new AuthorizationServerAway(`${url} is the metadata of another issuer than ${issuer}.`);
    if (typeof keys !== "string") throw new AuthorizationServerAway(`${url} names no jwks_uri. Give --jwks-url.`);
    return secureUrl("jwks_uri", keys, true);
  }
  throw new AuthorizationServerAway(`${issuer} has no metadata. Give --jwks-url, or --introspection-url.`);
}

function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
