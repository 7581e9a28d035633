/** Limits of requests in a time, for each caller. */
export interface RateLimits {
  /** Requests that a caller may make on average. */
  readonly requestsPerSecond: number;
  /** Requests that a caller may make at once. */
  readonly requestBurst: number;
  /** Callers that are remembered; the one that came longest ago is forgotten first. */
  readonly maxCallers: number;
}

/**
 * Makes a token bucket for each caller. The returned function counts a request and tells how many milliseconds it came
 * too early: 0 when it may pass.
 */
export function createRateLimit(limits: RateLimits, nowMs: () => number): (caller: string) => number {
  const { requestsPerSecond, requestBurst, maxCallers } = limits;
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return (caller) => {
    const now = nowMs();
    const before = buckets.get(caller) ?? { tokens: requestBurst, atMs: now };
    const tokens = Math.min(requestBurst, before.tokens + ((now - before.atMs) / 1000) * requestsPerSecond);
    const passes = tokens >= 1;
    // A deleted and inserted entry moves to the end of the map's order.
    buckets.delete(caller);
    buckets.set(caller, { tokens: passes ? tokens - 1 : tokens, atMs: now });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= maxCallers) break;
      buckets.delete(oldest);
    }
    return passes ? 0 : Math.ceil(((1 - tokens) / requestsPerSecond) * 1000);
  };
}
