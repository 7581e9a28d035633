/** Limits of the check of tokens, with their units in their names. */
export const authLimits = {
  /** By how much clocks of this server and of an authorization server may differ. */
  clockToleranceSeconds: 5,
  /** Of one request to an authorization server. */
  fetchTimeoutMs: 5_000,
  /** Of one answer of an authorization server. */
  maxAnswerBytes: 1024 * 1024,
  /** After a request to an authorization server that failed, the same one is not made for this time. */
  retryFetchMs: 2_000,
  /**
   * After failures of so many different tokens in a row no token is asked about for that time. One address alone has too few
   * failures for it (`failuresPerSecond`).
   */
  maxFailuresInRow: 20,
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
