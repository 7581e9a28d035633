import { createHash } from "node:crypto";
import {
  createPatientFetch,
  type Fetch,
  putBounded,
  type ServerAnswer,
  uselessAnswer,
} from "./authorization-server.js";
import { type AuthInfo, AuthorizationServerAway, type VerifyToken } from "./bearer.js";
import { type Claims, isMeant, toAuthInfo } from "./claims.js";
import { authLimits } from "./limits.js";
import { secureUrl } from "./metadata.js";

/** How an authorization server is asked about tokens. */
export interface IntrospectionOptions {
  readonly url: string;
  /** This server, as a client of the authorization server. */
  readonly credentials: { readonly id: string; readonly secret: string };
  /** Authorization servers whose tokens are accepted; the first one where an answer names none. */
  readonly issuers: readonly [string, ...string[]];
  /** Names of this server, one of which must be in the answer's `aud`. */
  readonly audiences: readonly string[];
  readonly fetch?: Fetch;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Makes a verifier that asks the authorization server about each token, and remembers what it said.
 *
 * Limits: `activeTokenMs`, `inactiveTokenMs`, `maxCachedTokens`, `maxOpenIntrospections`, `maxFailuresInRow`, `retryFetchMs`,
 * `fetchTimeoutMs`, `maxAnswerBytes`. Requests about one token that come at once are one. Source: RFC 7662.
 *
 * @throws {@link Error} when the address is neither of `https` nor of this machine.
 */
export function createIntrospectionVerifier(options: IntrospectionOptions): VerifyToken {
  const { nowMs = () => performance.now() } = options;
  secureUrl("url", options.url, true);
  const { maxFailuresInRow } = authLimits;
  const fetch = createPatientFetch({ read: readClaims, fetch: options.fetch, maxFailuresInRow });
  // A caller who guesses tokens must not push out those that are active.
  const [active, inactive] = [createCache(nowMs), createCache(nowMs)];
  const asked = new Map<string, Promise<AuthInfo | undefined>>();
  const ask = async (token: string, key: string): Promise<AuthInfo | undefined> => {
    const aboutToken = (url: string, init: RequestInit) => fetch(url, init, key);
    const info = infoOf(token, await introspect(token, options, aboutToken), options);
    if (info === undefined) inactive.set(key, undefined, authLimits.inactiveTokenMs);
    else active.set(key, info, authLimits.activeTokenMs);
    return info;
  };
  return async (token) => {
    const key = createHash("sha256").update(token).digest("base64url");
    const known = active.get(key) ?? inactive.get(key);
    if (known !== undefined) return known.info;
    const before = asked.get(key);
    if (before !== undefined) return before;
    if (asked.size >= authLimits.maxOpenIntrospections) {
      throw new AuthorizationServerAway(`${options.url} has ${asked.size} requests to answer.`);
    }
    const asking = ask(token, key).finally(() => asked.delete(key));
    asked.set(key, asking);
    return asking;
  };
}

type Introspect = (url: string, init: RequestInit) => Promise<Claims>;

function introspect(token: string, { url, credentials }: IntrospectionOptions, fetch: Introspect): Promise<Claims> {
  // Source: RFC 6749, section 2.3.1.
  const [id, secret] = [credentials.id, credentials.secret].map((text) =>
    new URLSearchParams({ v: text }).toString().slice(2),
  );
  return fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ token }).toString(),
  });
}

/** Statuses by which a server, or what stands in front of it, refuses an odd or long token. */
const ofToken: readonly number[] = [400, 413, 414, 422, 431];
const tokenErrors: readonly unknown[] = [undefined, "invalid_request", "invalid_token"];

function readClaims(answer: ServerAnswer): Claims {
  const { status, body } = answer;
  const { active, error }: { active?: unknown; error?: unknown } = Object(body);
  if (status === 200 && typeof active === "boolean") return { ...Object(body) };
  if (ofToken.includes(status) && tokenErrors.includes(error)) return { active: false };
  throw uselessAnswer(answer);
}

/** `undefined` for a token that is not active, or not meant for this server. */
function infoOf(token: string, claims: Claims, { audiences, issuers }: IntrospectionOptions): AuthInfo | undefined {
  const { active, iss = issuers[0], exp, token_type: type = "Bearer" } = claims;
  const issuer = issuers.find((one) => one === iss);
  const isBearer = typeof type === "string" && /^(bearer|access_token)$/i.test(type);
  if (active !== true || issuer === undefined || !isBearer || !isMeant(audiences, claims)) return undefined;
  if (exp === undefined || exp === null) return toAuthInfo(token, claims, issuer, undefined);
  const expiresAt = typeof exp === "string" ? Number(exp) : exp;
  // What is not a time must not count as no end.
  return Number.isFinite(expiresAt) ? toAuthInfo(token, claims, issuer, Number(expiresAt)) : undefined;
}

interface TokenCache {
  get(key: string): { readonly info: AuthInfo | undefined } | undefined;
  set(key: string, info: AuthInfo | undefined, maxAgeMs: number): void;
}

/** Limits: `maxCachedTokens`; the oldest is forgotten first. Whether a token has expired is checked with each request. */
function createCache(nowMs: () => number): TokenCache {
  const entries = new Map<string, { readonly info: AuthInfo | undefined; readonly untilMs: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry !== undefined && entry.untilMs > nowMs() ? entry : undefined;
    },
    set(key, info, maxAgeMs) {
      putBounded(entries, key, { info, untilMs: nowMs() + maxAgeMs });
    },
  };
}
