/** Limits of what is sent to a collector. A collector that is away or hangs costs no more than these. */
export const exportLimits = {
  /** Spans that wait to be sent; further ones are dropped. */
  maxQueuedSpans: 2_048,
  /** Of one request. */
  maxSpansPerExport: 512,
  /** How long a span waits for others before it is sent. */
  spanDelayMs: 1_000,
  metricsEveryMs: 10_000,
  /** How long one request to the collector may take, its repeats included. */
  exportTimeoutMs: 5_000,
  /** How long a server that ends waits for its last spans and metrics to be sent. */
  flushTimeoutMs: 2_000,
  /** How long the metrics may take to be collected. */
  collectTimeoutMs: 4_000,
  /** A problem with the collector is reported at most once in this time. */
  problemEveryMs: 60_000,
} as const;
