import { HttpAnswer, type HttpRequest } from "@resumable-mcp/mcp";
import { AuthorizationServerAway, readToken, type VerifyToken } from "../auth/bearer.js";
import type { HttpLimits } from "../http-limits.js";
import { judgeLocality, type LocalityFacts, type OwnerMode } from "../locality.js";
import { createRequestRates } from "../request-rates.js";

/** Where metrics come from, and who may read them. */
export interface MetricsSource {
  /** Gives all metrics in Prometheus' text format. */
  readonly text: () => Promise<string>;
  /** Checks the tokens of those who may read. Without it the user of this machine may, and nothing is there for others. */
  readonly verifyToken?: VerifyToken | undefined;
}

/** What the endpoint has to know of a request. */
export interface MetricsCaller {
  readonly facts: LocalityFacts;
  /** Where the request comes from, or who a trusted proxy says that it is. */
  readonly address: string | undefined;
}

/** What the endpoint is made of. */
export interface MetricsEndpointOptions {
  readonly metrics: MetricsSource;
  /** Callers of the MCP endpoint need tokens: those who can reach the server are not only the user of this machine. */
  readonly tokens: boolean;
  readonly ownerMode: OwnerMode;
  readonly limits: HttpLimits;
}

/** What Prometheus expects. Source: Prometheus, "Exposition formats", text format 0.0.4. */
const exposition = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" };

const plain = { "content-type": "text/plain;charset=UTF-8" };

/**
 * Makes what answers `/metrics`. Strangers never read metrics: without tokens of its own only a local request is answered, and
 * all others find nothing there. The tokens of the MCP endpoint count for nothing here: a caller of tools may not see
 * what all others do.
 */
export function createMetricsEndpoint({
  metrics: { text, verifyToken },
  tokens,
  ownerMode,
  limits,
}: MetricsEndpointOptions): (request: HttpRequest, caller: MetricsCaller) => Promise<HttpAnswer> {
  const rates = createRequestRates(limits, () => performance.now());
  const read = async (): Promise<HttpAnswer> => {
    try {
      return new HttpAnswer(200, exposition, await text());
    } catch {
      return new HttpAnswer(503, plain, "The metrics could not be collected. Try again later.\n");
    }
  };
  // The endpoint is the same for one user behind a proxy and for strangers there.
  const isLocal = (facts: MetricsCaller["facts"]) =>
    ownerMode !== "session" && judgeLocality({ ...facts, tokens }).local;
  return async (request, { facts, address }) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (verifyToken === undefined) {
      if (isRead && isLocal(facts)) return read();
      return tooMany(rates.unknown(address)) ?? new HttpAnswer(404, plain, "Not found.\n");
    }
    const header = request.header("authorization");
    const attempt = header === undefined ? undefined : rates.tried(address, header);
    const early = tooMany(attempt?.waitMs ?? 0);
    if (early !== undefined) return early;
    const verdict = await readToken(request, verifyToken, limits.verifyTokenTimeoutMs);
    attempt?.end("info" in verdict ? "valid" : "failed" in verdict ? "unchecked" : "invalid");
    if ("info" in verdict) return isRead ? read() : new HttpAnswer(405, { ...plain, allow: "GET, HEAD" }, "Use GET.\n");
    if ("failed" in verdict) {
      const isAway = verdict.failed instanceof AuthorizationServerAway;
      return new HttpAnswer(isAway ? 503 : 500, plain, "The token could not be checked.\n");
    }
    const waitMs = attempt === undefined ? rates.refused(address) : 0;
    return tooMany(waitMs) ?? new HttpAnswer(401, { ...plain, "www-authenticate": "Bearer" }, "A token is needed.\n");
  };
}

function tooMany(waitMs: number): HttpAnswer | undefined {
  if (waitMs <= 0) return undefined;
  return new HttpAnswer(429, { ...plain, "retry-after": String(Math.ceil(waitMs / 1_000)) }, "Try again later.\n");
}
