/** Every limit of the HTTP server, with its unit in its name. */
export const httpLimits = {
  /**
   * For each authenticated subject; for callers without a valid token, each address of another machine (of IPv6, each
   * network).
   */
  requestsPerSecond: 100,
  requestBurst: 200,
  /** Subjects that are remembered, and as many addresses. */
  maxCallers: 10_000,
  /** How long a client may take to send a request. */
  requestTimeoutMs: 30_000,
  /** How long `verifyToken` may take. */
  verifyTokenTimeoutMs: 10_000,
  /** How long `/readyz` waits for the store before it says that the server takes no work. */
  readyTimeoutMs: 3_000,
  maxConnections: 10_000,
  maxHeaderBytes: 16 * 1024,
  drainTimeoutMs: 10_000,
} as const;

/** Limits of the HTTP server, as numbers. */
export type HttpLimits = { readonly [Name in keyof typeof httpLimits]: number };
