/** Every limit of the HTTP server, with its unit in its name. */
export const httpLimits = {
  /** For authenticated callers, each. */
  requestsPerSecond: 100,
  requestBurst: 200,
  maxCallers: 10_000,
  /** How long a client may take to send a request. */
  requestTimeoutMs: 30_000,
  maxConnections: 10_000,
  maxHeaderBytes: 16 * 1024,
  drainTimeoutMs: 10_000,
} as const;

/** Limits of the HTTP server, as numbers. */
export type HttpLimits = { readonly [Name in keyof typeof httpLimits]: number };
