/** Limits of the check of tokens, with their units in their names. */
export const authLimits = {
  /** By how much clocks of this server and of an authorization server may differ. */
  clockToleranceSeconds: 5,
  /** Of one request to an authorization server. */
  fetchTimeoutMs: 5_000,
  /** After a request to an authorization server that failed, none is made for this time. */
  retryFetchMs: 2_000,
  /** A key that is not known makes the keys be fetched again, this often at most. */
  keysCooldownMs: 30_000,
  /** Keys are fetched again after this time. */
  maxKeysAgeMs: 600_000,
  /** Keys that were fetched within this time serve while the authorization server is away. */
  maxStaleKeysMs: 60 * 60_000,
  /** An active token is not asked about again for this time, or until it expires: so long may a revocation take. */
  activeTokenMs: 60_000,
  /** The same for a token that is not active. */
  inactiveTokenMs: 10_000,
  /** Tokens that are remembered, active ones and others each. */
  maxCachedTokens: 10_000,
  /** Tokens that the authorization server is asked about at once; callers with others get status 503. */
  maxOpenIntrospections: 256,
  /** Longer tokens are not valid, in characters. */
  maxTokenLength: 12 * 1024,
} as const;
