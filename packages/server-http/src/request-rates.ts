import { createHash } from "node:crypto";
import { BoundedCache } from "@resumable-mcp/core/internal";
import { toNetwork } from "./addresses.js";
import { isLoopback } from "./allowed-hosts.js";
import type { HttpLimits } from "./http-limits.js";

type RateLimits = Pick<HttpLimits, "requestsPerSecond" | "requestBurst" | "maxCallers">;

/** Counts requests by who sends them; each function tells how many milliseconds a request came too early. */
export interface RequestRates {
  /** A caller with a valid token. */
  known(subject: string): number;
  /** A caller that brings no token, where the server requires one. */
  refused(address: string | undefined): number;
  /** A caller that brings a token, by the header that holds it. */
  tried(address: string | undefined, header: string): TokenAttempt;
  /** A caller that needs no token for what it asks. Callers on this machine are not counted: it is theirs. */
  unknown(address: string | undefined): number;
  /** A body of a caller, by its subject or network, was read: it counts as so many more requests, for which the next one waits. */
  charge(table: "subjects" | "networks", caller: string, requests: number): void;
}

/** A token that is about to be checked. */
export interface TokenAttempt {
  /** 0, or how long its caller has to wait. It is not checked then. */
  readonly waitMs: number;
  /** Says what came of the check; `unchecked` where it failed, which is a failure of its address too. */
  end(outcome: "valid" | "invalid" | "unchecked"): void;
}

/**
 * Makes the rates of one server. Subjects, addresses and addresses with failures have a table each: a caller with many
 * addresses cannot push subjects out of theirs. A token counts before it is checked, so that the limit holds for requests that
 * come at once, too. One that was valid a moment ago is not counted: guesses of others at the same address do not keep it out.
 *
 * Limits: `requestsPerSecond`, `requestBurst`, `failuresPerSecond`, `failureBurst`, `validTokenMs`, `maxCallers` of each table.
 */
export function createRequestRates(limits: HttpLimits, nowMs: () => number): RequestRates {
  const { failuresPerSecond, failureBurst, maxCallers } = limits;
  const [bySubject, byAddress] = [createRateLimit(limits, nowMs), createRateLimit(limits, nowMs)];
  const failures = createRateLimit(
    { requestsPerSecond: failuresPerSecond, requestBurst: failureBurst, maxCallers },
    nowMs,
  );
  const refused = (address: string | undefined) => byAddress.count(toNetwork(address ?? ""));
  // Hashes of tokens that were valid, and until when they count as such.
  const recent = latest<number>(maxCallers);
  const tried = (address: string | undefined, header: string): TokenAttempt => {
    const network = toNetwork(address ?? "");
    const token = createHash("sha256").update(header).digest("base64url");
    const isCounted = (recent.get(token) ?? Number.NEGATIVE_INFINITY) <= nowMs();
    return {
      waitMs: isCounted ? failures.count(network) : 0,
      end(outcome) {
        if (outcome === "valid") recent.set(token, nowMs() + limits.validTokenMs, 0);
        if (outcome === "valid" && isCounted) failures.add(network, 1);
        if (outcome !== "invalid" || isCounted) return;
        recent.delete(token);
        failures.count(network);
      },
    };
  };
  return {
    known: bySubject.count,
    refused,
    tried,
    unknown: (address) => (address === undefined || isLoopback(address) ? 0 : refused(address)),
    charge: (table, caller, requests) => (table === "subjects" ? bySubject : byAddress).add(caller, -requests),
  };
}

const latest = <Value>(maxEntries: number) => new BoundedCache<Value>({ maxEntries, maxBytes: 0 });

/** A token bucket for each caller. */
export interface RateLimit {
  /** Counts a request and returns how many milliseconds it came too early: 0 when it may pass. */
  count(caller: string): number;
  /** Gives tokens back of a request that passed, or takes more for it. */
  add(caller: string, tokens: number): void;
}

/**
 * Makes a token bucket for each caller.
 *
 * Limits: beyond `maxCallers` the caller whose last request is the oldest is forgotten first.
 */
export function createRateLimit(limits: RateLimits, nowMs: () => number): RateLimit {
  const { requestsPerSecond, requestBurst, maxCallers } = limits;
  const buckets = latest<{ tokens: number; atMs: number }>(maxCallers);
  const tokensOf = (caller: string, now: number): number => {
    const before = buckets.get(caller) ?? { tokens: requestBurst, atMs: now };
    return Math.min(requestBurst, before.tokens + ((now - before.atMs) / 1000) * requestsPerSecond);
  };
  const waitOf = (tokens: number) => (tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / requestsPerSecond) * 1000));
  return {
    add(caller, tokens) {
      const bucket = buckets.get(caller);
      if (bucket !== undefined) bucket.tokens = Math.min(requestBurst, bucket.tokens + tokens);
    },
    count(caller) {
      const now = nowMs();
      const tokens = tokensOf(caller, now);
      buckets.set(caller, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: now }, 0);
      return waitOf(tokens);
    },
  };
}
