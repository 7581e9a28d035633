import { type Locality, local } from "@resumable-mcp/mcp";
import { hostName, isLoopback } from "./allowed-hosts.js";

/** What decides whether only the user of this machine can have sent a request. */
export interface LocalityFacts extends ServerFacts {
  /** Where the connection comes from. */
  readonly peerAddress?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /** Names of all headers, in lower case. */
  readonly headerNames?: readonly string[];
}

/** The part of it that is the same for all requests to a server. */
export interface ServerFacts {
  /** Callers authenticate by tokens. */
  readonly tokens: boolean;
  readonly boundAddress?: string | undefined;
  /** Public names of the server. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
}

/**
 * Decides whether a request is local: whether only the user of this machine can have sent it. Pure.
 *
 * It is when the server wants no tokens, listens on a loopback address under no public name, and the request comes from
 * a loopback address for a loopback host, from no page of another host, and through no proxy. A proxy on the same
 * machine brings strangers; one that adds none of these headers looks like a local program.
 */
export function judgeLocality(facts: LocalityFacts): Locality {
  const reason = reasonAgainstServer(facts) ?? reasonAgainstRequest(facts);
  return reason === undefined ? local : { local: false, reason };
}

/** Why no request to a server is local, or `undefined`. */
export function reasonAgainstServer(facts: ServerFacts): string | undefined {
  if (facts.tokens) return "the server requires tokens";
  if (facts.boundAddress === undefined || !isLoopback(facts.boundAddress)) {
    return "the server listens on an address that is not known to be a loopback address";
  }
  if (facts.publicUrl !== undefined) return "the server has a public name (--public-url)";
  return (facts.allowedHosts ?? []).length > 0 ? "the server has a public name (--allowed-host)" : undefined;
}

/** What almost all requests have, and no proxy is known by: to compare each with all patterns takes a part of a small call. */
const ofClients: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "content-type",
  "host",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "sec-fetch-mode",
  "user-agent",
]);

function reasonAgainstRequest(facts: LocalityFacts): string | undefined {
  const { peerAddress, host, origin, headerNames = [] } = facts;
  const byProxy = headerNames.find((name) => !ofClients.has(name) && isProxyHeader(name));
  if (byProxy !== undefined) return `it has the header ${byProxy}, so a proxy sent it`;
  if (peerAddress === undefined || !isLoopback(peerAddress)) return "it does not come from a loopback address";
  if (!isLoopbackUrl(`http://${host ?? ""}`)) return "its Host header does not name a loopback host";
  if (origin !== undefined && !isLoopbackUrl(origin)) return "its Origin header does not name a loopback host";
  return undefined;
}

/**
 * Whether a header is one that proxies send, and no program of this machine: who they forward for, whom they signed in, and
 * what networks of proxies add under names of their own.
 *
 * Source: RFC 7239, "Forwarded"; RFC 9110, "Via"; RFC 8586, "CDN-Loop"; the documents of the proxies for all others.
 */
function isProxyHeader(name: string): boolean {
  const dashed = name.replaceAll("_", "-");
  return ofAnyProxy.test(dashed) || ofOneProxy.test(dashed);
}

const ofAnyProxy =
  /^(x-)?(forwarded|via$|original-)|(^|-)(client|real|remote|connecting|proxyuser)-(ip|addr|user)(-|$)/;
const ofOneProxy =
  /^(akamai|cdn|cf|cloudfront|fastly|fly|surrogate|tailscale|x-(akamai|amz-cf|amzn-oidc|appgw|arr|auth-request|authentik|azure|envoy|goog-iap|nf|vercel))-|^x-(ms-client-principal|varnish)(-|$)/;

/** Programs with a scheme of their own, such as `app:`, are no pages of this machine's servers. */
function isLoopbackUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && isLoopback(hostName(url) ?? "");
}

/**
 * Whose tasks a call without a token reaches. `auto`: local requests are those of one user. `single-user`: all requests
 * are, also through a proxy. `session`: none are, so every session has tasks of its own.
 */
export type OwnerMode = (typeof ownerModes)[number];

/** All of them. */
export const ownerModes = ["auto", "session", "single-user"] as const;

/** Decides whether a request counts as local. Pure. */
export function judgeCaller(mode: OwnerMode, facts: LocalityFacts): Locality {
  if (mode === "single-user") return local;
  return mode === "auto" ? judgeLocality(facts) : { local: false, reason: "the server has --owner session" };
}

/** Says in one line whose tasks calls to a server reach. */
export function ownerSentence(mode: OwnerMode, facts: ServerFacts): string {
  if (facts.tokens) return "the subject of the token";
  if (mode === "single-user") return "the client's id, or one user for all calls (--owner single-user)";
  const reason = mode === "session" ? "--owner session" : reasonAgainstServer(facts);
  if (reason !== undefined) return `a client's id of random bits, or the session (${reason})`;
  return "the client's id, or your user; through a proxy, the session (--owner auto)";
}
