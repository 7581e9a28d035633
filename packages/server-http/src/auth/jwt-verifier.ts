import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import {
  createPatientFetch,
  discoverKeys,
  type Fetch,
  type ServerAnswer,
  uselessAnswer,
} from "./authorization-server.js";
import { AuthorizationServerAway, type VerifyToken } from "./bearer.js";
import { isMeant, toAuthInfo } from "./claims.js";
import { authLimits } from "./limits.js";
import { secureUrl } from "./metadata.js";

/** Whose JWTs a server accepts. */
export interface JwtOptions {
  /** Authorization servers, as their tokens' `iss` names them. */
  readonly issuers: readonly string[];
  /** Names of this server, one of which must be in a token's `aud`. */
  readonly audiences: readonly string[];
  /** Where the keys are. Default: what the metadata of the authorization server says. */
  readonly jwksUrl?: string | undefined;
  readonly fetch?: Fetch;
}

/** Asymmetric ones alone: a key that verifies must not be one that signs. Source: RFC 8725, sections 3.1 and 3.2. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/**
 * Types of JWT that may be access tokens. RFC 9068 wants `at+jwt`; the larger hosted providers write `JWT`, or nothing.
 * What keeps an ID token out is its audience, which is a client and never this server. Tokens of all other types, such as
 * `logout+jwt`, are refused.
 */
const types: readonly (string | undefined)[] = ["at+jwt", "jwt", undefined];

/**
 * Makes a verifier of JSON Web Tokens: signature by the issuer's present keys, `iss`, `aud`, `exp` (required), `nbf`, type and
 * algorithm.
 *
 * Limits: `clockToleranceSeconds`, `fetchTimeoutMs`, `keysCooldownMs`, `maxKeysAgeMs`, `maxStaleKeysMs`, `retryFetchMs`. Source:
 * RFC 9068, section 4; RFC 8725.
 *
 * @throws {@link Error} when an address is neither of `https` nor of this machine.
 */
export function createJwtVerifier({ issuers, audiences, jwksUrl, fetch }: JwtOptions): VerifyToken {
  if (jwksUrl !== undefined) secureUrl("jwksUrl", jwksUrl, true);
  for (const issuer of issuers) secureUrl("issuers", issuer);
  const keysOf = new Map(issuers.map((issuer) => [issuer, createKeys(issuer, jwksUrl, fetch)]));
  return async (token) => {
    const issuer = issuerIn(token);
    const keys = issuer === undefined ? undefined : keysOf.get(issuer);
    if (issuer === undefined || keys === undefined) return undefined;
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      algorithms,
      clockTolerance: authLimits.clockToleranceSeconds,
      requiredClaims: ["exp"],
    });
    if (!types.includes(typeOf(protectedHeader)) || !isMeant(audiences, payload)) return undefined;
    // With the tolerance: what counts as valid here does not count as expired elsewhere.
    return toAuthInfo(token, payload, issuer, Number(payload.exp) + authLimits.clockToleranceSeconds);
  };
}

/** The signature says nothing of the header's form. */
function typeOf({ typ }: { readonly typ?: unknown }): string | undefined {
  return typ === undefined
    ? undefined
    : String(typ)
        .toLowerCase()
        .replace(/^application\//, "");
}

/** The issuer that an unverified token names: it only chooses the keys. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/**
 * A key that is not known makes the keys be fetched again. All that cannot be fetched is the server's trouble: meanwhile the
 * keys that were fetched last are those that count.
 */
function createKeys(issuer: string, jwksUrl: string | undefined, fetch: Fetch | undefined): JWTVerifyGetKey {
  let found: { readonly keys: Promise<JWTVerifyGetKey>; readonly atMs: number; failed: boolean } | undefined;
  let last: { readonly keys: JWTVerifyGetKey; readonly atMs: number } | undefined;
  const fetchKeys = createPatientFetch({ read: readKeys, fetch });
  const find = async () => {
    const url = jwksUrl === undefined ? await discoverKeys(issuer, fetch) : new URL(jwksUrl);
    return createRemoteJWKSet(url, {
      cooldownDuration: authLimits.keysCooldownMs,
      cacheMaxAge: authLimits.maxKeysAgeMs,
      [customFetch]: async (address, init) => {
        const { set, keys } = await fetchKeys(address, init);
        last = { keys, atMs: performance.now() };
        return Response.json(set);
      },
    });
  };
  return async (header, token) => {
    const nowMs = performance.now();
    if (found === undefined || (found.failed && nowMs - found.atMs >= authLimits.retryFetchMs)) {
      const search = { keys: find(), atMs: nowMs, failed: false };
      search.keys.catch(() => {
        search.failed = true;
      });
      found = search;
    }
    const keys = await found.keys;
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof AuthorizationServerAway)) throw error;
      if (last === undefined || nowMs - last.atMs > authLimits.maxStaleKeysMs) throw error;
      return Promise.resolve(last.keys(header, token)).catch(() => Promise.reject(error));
    }
  };
}

interface Keys {
  readonly set: JSONWebKeySet;
  readonly keys: JWTVerifyGetKey;
}

function readKeys(answer: ServerAnswer): Keys {
  if (answer.status !== 200) throw uselessAnswer(answer);
  const set: JSONWebKeySet = Object(answer.body);
  // Throws at what is not a set of keys.
  return { set, keys: createLocalJWKSet(set) };
}
