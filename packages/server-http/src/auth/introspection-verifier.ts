import { createHash } from "node:crypto";
import { createPatientFetch, type Fetch } from "./authorization-server.js";
import { type AuthInfo, AuthorizationServerAway, type VerifyToken } from "./bearer.js";
import { authInfoOf, type Claims, isFor, namesOwner } from "./claims.js";
import { authLimits } from "./limits.js";

/** How an authorization server is asked about tokens. */
export interface IntrospectionOptions {
  readonly url: string;
  /** This server, as a client of the authorization server. */
  readonly credentials: { readonly id: string; readonly secret: string };
  /** Authorization servers whose tokens are accepted; the first one where an answer names none. */
  readonly issuers: readonly [string, ...string[]];
  /** Names of this server, one of which must be in the answer's `aud`. */
  readonly audiences: () => readonly string[];
  readonly fetch?: Fetch;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Makes a verifier that asks the authorization server about each token, and remembers what it said.
 *
 * Limits: `activeTokenMs`, `inactiveTokenMs`, `maxCachedTokens`, `fetchTimeoutMs`, `retryFetchMs`. Requests about one token
 * that come at once are one. Source: RFC 7662.
 */
export function createIntrospectionVerifier(options: IntrospectionOptions): VerifyToken {
  const { nowMs = () => performance.now() } = options;
  const fetch = createPatientFetch(options.fetch);
  // A caller who guesses tokens must not push out those that are active.
  const [active, inactive] = [createCache(nowMs), createCache(nowMs)];
  const asked = new Map<string, Promise<AuthInfo | undefined>>();
  const ask = async (token: string, key: string): Promise<AuthInfo | undefined> => {
    const info = infoOf(token, await introspect(token, options, fetch), options);
    if (info === undefined) inactive.set(key, undefined, authLimits.inactiveTokenMs);
    else active.set(key, info, authLimits.activeTokenMs);
    return info;
  };
  return async (token) => {
    const key = createHash("sha256").update(token).digest("base64url");
    const known = active.get(key) ?? inactive.get(key);
    if (known !== undefined) return known.info;
    const asking = asked.get(key) ?? ask(token, key).finally(() => asked.delete(key));
    asked.set(key, asking);
    return asking;
  };
}

async function introspect(token: string, { url, credentials }: IntrospectionOptions, fetch: Fetch): Promise<Claims> {
  // Source: RFC 6749, section 2.3.1.
  const [id, secret] = [credentials.id, credentials.secret].map((text) =>
    new URLSearchParams({ v: text }).toString().slice(2),
  );
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ token }).toString(),
  });
  const claims: unknown = response.status === 200 ? await response.json().catch(() => undefined) : undefined;
  if (typeof claims === "object" && claims !== null && typeof Reflect.get(claims, "active") === "boolean") {
    return { ...claims };
  }
  throw new AuthorizationServerAway(`${url} does not answer as RFC 7662 says.`);
}

/** `undefined` for a token that is not active, or not meant for this server. */
function infoOf(token: string, claims: Claims, { audiences, issuers }: IntrospectionOptions): AuthInfo | undefined {
  const { active, iss = issuers[0], exp, token_type: type = "Bearer" } = claims;
  const issuer = issuers.find((one) => one === iss);
  const isBearer = typeof type === "string" && /^(bearer|access_token)$/i.test(type);
  if (active !== true || issuer === undefined || !isBearer) return undefined;
  if (!isFor(audiences(), claims) || !namesOwner(claims)) return undefined;
  return authInfoOf(token, claims, issuer, typeof exp === "number" ? exp : undefined);
}

interface Cache {
  get(key: string): { readonly info: AuthInfo | undefined } | undefined;
  set(key: string, info: AuthInfo | undefined, maxAgeMs: number): void;
}

/** Limits: `maxCachedTokens`; the oldest is forgotten first. Whether a token has expired is checked with each request. */
function createCache(nowMs: () => number): Cache {
  const entries = new Map<string, { readonly info: AuthInfo | undefined; readonly untilMs: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry !== undefined && entry.untilMs > nowMs() ? entry : undefined;
    },
    set(key, info, maxAgeMs) {
      entries.delete(key);
      entries.set(key, { info, untilMs: nowMs() + maxAgeMs });
      const [oldest] = entries.keys();
      if (entries.size > authLimits.maxCachedTokens && oldest !== undefined) entries.delete(oldest);
    },
  };
}
