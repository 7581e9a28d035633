import { networkOf } from "./addresses.js";
import { isLoopback } from "./allowed-hosts.js";
import type { HttpLimits } from "./http-limits.js";

type RateLimits = Pick<HttpLimits, "requestsPerSecond" | "requestBurst" | "maxCallers">;

/** Counts requests by who sends them; each function tells how many milliseconds a request came too early. */
export interface RequestRates {
  /** A caller with a valid token. */
  known(subject: string): number;
  /** A caller that brings no token, where the server requires one. */
  refused(address: string | undefined): number;
  /** A caller whose token is not valid. */
  failed(address: string | undefined): number;
  /** Whether a caller of this address may bring a token: 0, or how long it has to wait. Counts nothing. */
  mayTry(address: string | undefined): number;
  /** A caller that needs no token for what it asks. Callers on this machine are not counted: it is theirs. */
  unknown(address: string | undefined): number;
}

/**
 * Makes the rates of one server. Subjects, addresses and addresses with failures have a table each: a caller with many
 * addresses cannot push subjects out of theirs.
 *
 * Limits: `requestsPerSecond`, `requestBurst`, `failuresPerSecond`, `failureBurst`, `maxCallers` of each table.
 */
export function createRequestRates(limits: HttpLimits, nowMs: () => number): RequestRates {
  const { failuresPerSecond, failureBurst, maxCallers } = limits;
  const [bySubject, byAddress] = [createRateLimit(limits, nowMs), createRateLimit(limits, nowMs)];
  const failures = createRateLimit(
    { requestsPerSecond: failuresPerSecond, requestBurst: failureBurst, maxCallers },
    nowMs,
  );
  const refused = (address: string | undefined) => byAddress.count(networkOf(address ?? ""));
  return {
    known: bySubject.count,
    refused,
    failed: (address) => failures.count(networkOf(address ?? "")),
    mayTry: (address) => failures.waitMs(networkOf(address ?? "")),
    unknown: (address) => (address === undefined || isLoopback(address) ? 0 : refused(address)),
  };
}

/** A token bucket for each caller. */
export interface RateLimit {
  /** Counts a request and returns how many milliseconds it came too early: 0 when it may pass. */
  count(caller: string): number;
  /** The same of a request that is not counted. */
  waitMs(caller: string): number;
}

/**
 * Makes a token bucket for each caller.
 *
 * Limits: beyond `maxCallers` the caller whose last request is the oldest is forgotten first.
 */
export function createRateLimit(limits: RateLimits, nowMs: () => number): RateLimit {
  const { requestsPerSecond, requestBurst, maxCallers } = limits;
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const tokensOf = (caller: string, now: number): number => {
    const before = buckets.get(caller) ?? { tokens: requestBurst, atMs: now };
    return Math.min(requestBurst, before.tokens + ((now - before.atMs) / 1000) * requestsPerSecond);
  };
  const waitOf = (tokens: number) => (tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / requestsPerSecond) * 1000));
  return {
    waitMs: (caller) => waitOf(tokensOf(caller, nowMs())),
    count(caller) {
      const now = nowMs();
      const tokens = tokensOf(caller, now);
      // A deleted and inserted entry moves to the end of the map's order.
      buckets.delete(caller);
      buckets.set(caller, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: now });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxCallers) break;
        buckets.delete(oldest);
      }
      return waitOf(tokens);
    },
  };
}
