import { isLoopback } from "./allowed-hosts.js";
import type { HttpLimits } from "./http-limits.js";

type RateLimits = Pick<HttpLimits, "requestsPerSecond" | "requestBurst" | "maxCallers">;

/** Counts requests by who sends them; each function tells how many milliseconds a request came too early. */
export interface RequestRates {
  /** A caller with a valid token. */
  known(subject: string): number;
  /** A caller without a valid token, where the server requires one. */
  refused(remoteAddress: string | undefined): number;
  /** A caller of a server that requires no token. Callers on this machine are not counted: it is theirs. */
  unknown(remoteAddress: string | undefined): number;
}

/**
 * Makes the rates of one server. Subjects and addresses have a table each: a caller with many addresses cannot push
 * subjects out of theirs.
 *
 * Limits: `requestsPerSecond`, `requestBurst`, `maxCallers` of each table.
 */
export function createRequestRates(limits: HttpLimits, nowMs: () => number): RequestRates {
  const [bySubject, byAddress] = [createRateLimit(limits, nowMs), createRateLimit(limits, nowMs)];
  const refused = (address: string | undefined) => byAddress(networkOf(address ?? ""));
  return {
    known: bySubject,
    refused,
    unknown: (address) => (address === undefined || isLoopback(address) ? 0 : refused(address)),
  };
}

/**
 * Makes a token bucket for each caller. The returned function counts a request and returns how many milliseconds it came
 * too early: 0 when it may pass.
 *
 * Limits: beyond `maxCallers` the caller whose last request is the oldest is forgotten first.
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

/** IPv4 addresses arrive in this form where the server listens on both. */
const mapped = /^::ffff:(?=\d+\.)/i;

/** One customer of a provider has all the 2^64 addresses of an IPv6 network. */
function networkOf(address: string): string {
  const plain = address.replace(mapped, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail = ""] = plain.split("%")[0]?.split("::") ?? [];
  const [front, back] = [head, tail].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(Math.max(0, 8 - (front?.length ?? 0) - (back?.length ?? 0))).fill("0");
  return [...(front ?? []), ...zeros, ...(back ?? [])].slice(0, 4).join(":");
}
