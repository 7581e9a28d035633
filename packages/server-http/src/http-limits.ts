/** Every limit of the HTTP server, with its unit in its name. */
export const httpLimits = {
  /**
   * For each authenticated subject; for callers without a valid token, each address of another machine (of IPv6, each
   * network). A body that was read counts as one request for each `smallBodyBytes` that begin, for which the next one waits.
   */
  requestsPerSecond: 100,
  requestBurst: 200,
  /**
   * Tokens of one address that are not valid, or cannot be checked, or that are being checked for the first time. Beyond it no token of that address
   * is looked at, except those that were valid within `validTokenMs`.
   */
  failuresPerSecond: 5,
  failureBurst: 50,
  validTokenMs: 60_000,
  /** Subjects that are remembered, as many addresses, as many addresses with failures, and as many valid tokens. */
  maxCallers: 10_000,
  /** How long a client may take to send a request. */
  requestTimeoutMs: 30_000,
  /** How long `verifyToken` may take while the process runs; then the caller gets status 503. */
  verifyTokenTimeoutMs: 10_000,
  /** How often a server that knows its callers by tokens asks the store who is banned. */
  banLookMs: 2_000,
  /** How long `/readyz` waits for the store before it says that the server takes no work. */
  readyTimeoutMs: 3_000,
  /** How long a client may take to send the head of a request. Silent connections are looked for at this interval. */
  headersTimeoutMs: 10_000,
  maxConnections: 10_000,
  /** Of one address (of IPv6, one network) that is not a trusted proxy. */
  maxConnectionsPerAddress: 1_000,
  /** Bodies of one subject, or of one address, that have not come yet and say no length, or one of more than `smallBodyBytes`. */
  maxOpenBodies: 32,
  smallBodyBytes: 64 * 1024,
  /** Refusals in one second that are logged one by one, and as many failures of checks and calls; the next line says how many were not. */
  refusalsLoggedPerSecond: 10,
  maxHeaderBytes: 16 * 1024,
  drainTimeoutMs: 10_000,
  /** How long a server that ends still answers on the connections that it has. */
  closeTimeoutMs: 500,
} as const;

/** Limits of the HTTP server, as numbers. */
export type HttpLimits = { readonly [Name in keyof typeof httpLimits]: number };
