import { expect, test } from "vitest";
import { judgeCaller, judgeLocality, type LocalityFacts, ownerSentence } from "./locality.js";

const facts: LocalityFacts = {
  tokens: false,
  boundAddress: "127.0.0.1",
  peerAddress: "127.0.0.1",
  host: "127.0.0.1:8001",
  allowedHosts: [],
  headerNames: ["host", "accept", "content-type", "user-agent", "mcp-session-id"],
};

const local: readonly (readonly [string, Partial<LocalityFacts>])[] = [
  ["as a local program sends it", {}],
  ["to and from IPv6", { boundAddress: "::1", peerAddress: "::1", host: "[::1]:8001" }],
  ["from IPv4 as IPv6", { peerAddress: "::ffff:127.0.0.1" }],
  ["from IPv4 as IPv6 in hexadecimal digits", { peerAddress: "::ffff:7f00:1" }],
  ["to IPv4 as IPv6", { boundAddress: "::ffff:127.0.0.1", host: "[::ffff:127.0.0.1]" }],
  ["from another loopback address", { boundAddress: "127.0.0.2", peerAddress: "127.255.255.254", host: "127.0.0.2" }],
  ["for localhost", { host: "localhost:8001" }],
  ["for localhost in capitals, without port", { host: "LOCALHOST" }],
  ["from a page of a loopback host on any port", { origin: "http://localhost:5173" }],
  ["from a page of a loopback address", { origin: "http://[::1]:5173" }],
  ["from a page over TLS", { origin: "https://127.0.0.1" }],
  ["with other headers", { headerNames: ["forwarding", "x-forwarder", "viaduct", "x-real-time", "cf", "client-id"] }],
  [
    "with those of clients, browsers and traces",
    { headerNames: ["mcp-method", "sec-fetch-site", "traceparent", "x-request-id", "x-mcp-proxy-auth", "x-api-key"] },
  ],
];

/** What proxies, networks of proxies and gateways that sign users in add to requests. */
const headersOfProxies = [
  ...["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-anything"],
  ...["x-real-ip", "x-client-ip", "client-ip", "true-client-ip", "x-cluster-client-ip", "wl-proxy-client-ip"],
  ...["x-remote-addr", "x-remote-ip", "x-original-host", "x-original-forwarded-for", "x-proxyuser-ip", "cdn-loop"],
  ...["cf-connecting-ip", "cf-ray", "cf-visitor", "fly-client-ip", "fastly-client-ip", "x-envoy-external-address"],
  ...["x-envoy-original-path", "x-azure-clientip", "x-azure-ref", "x-appgw-trace-id", "x-arr-ssl", "x-amz-cf-id"],
  ...["cloudfront-viewer-address", "x-vercel-id", "x-nf-client-connection-ip", "akamai-origin-hop", "x-varnish"],
  ...["tailscale-user-login", "x-goog-iap-jwt-assertion", "x-auth-request-user", "x-remote-user", "remote-user"],
  ...["x-ms-client-principal", "x-amzn-oidc-identity", "surrogate-capability", "x_forwarded_for"],
];

const foreign: readonly (readonly [string, Partial<LocalityFacts>, RegExp])[] = [
  ["tokens are configured", { tokens: true }, /requires tokens/],
  ["the server listens on all addresses", { boundAddress: "0.0.0.0" }, /listens on an address/],
  ["the server listens on all IPv6 addresses", { boundAddress: "::" }, /listens on an address/],
  ["the server listens on another address", { boundAddress: "192.0.2.1" }, /listens on an address/],
  ["the server's address is not known", { boundAddress: undefined }, /listens on an address/],
  ["the server has an allowed host", { allowedHosts: ["tools.example"] }, /--allowed-host/],
  ["the allowed host is a loopback host", { allowedHosts: ["localhost"] }, /--allowed-host/],
  ["the server has a public URL", { publicUrl: "https://tools.example/mcp" }, /--public-url/],
  ["it comes from another machine", { peerAddress: "192.0.2.1" }, /does not come from/],
  ["it comes from another machine by IPv6", { peerAddress: "2001:db8::1" }, /does not come from/],
  ["it comes from another machine, IPv4 as IPv6", { peerAddress: "::ffff:192.0.2.1" }, /does not come from/],
  ["its connection is closed, or no socket", { peerAddress: undefined }, /does not come from/],
  ["its Host is another name", { host: "evil.example:8001" }, /Host header/],
  ["its Host begins like a loopback name", { host: "localhost.evil.example" }, /Host header/],
  ["its Host ends like a loopback name", { host: "evil-localhost:8001" }, /Host header/],
  ["its Host begins like a loopback address", { host: "127.0.0.1.evil.example" }, /Host header/],
  ["its Host hides another name behind a user", { host: "localhost:80@evil.example" }, /Host header/],
  ["its Host is all addresses", { host: "0.0.0.0:8001" }, /Host header/],
  ["it has no Host", { host: undefined }, /Host header/],
  ["its Host is empty", { host: "" }, /Host header/],
  ["its Host is malformed", { host: "a b" }, /Host header/],
  ["its page is of another host", { origin: "https://evil.example" }, /Origin header/],
  ["its page has no origin", { origin: "null" }, /Origin header/],
  ["its Origin is empty", { origin: "" }, /Origin header/],
  ["its page has a scheme of its own", { origin: "app://localhost" }, /Origin header/],
  ["its Origin names several", { origin: "http://localhost, https://evil.example" }, /Origin header/],
  ...headersOfProxies.map(
    (name) =>
      [`it has the header ${name}`, { headerNames: ["host", name] }, new RegExp(`has the header ${name}`)] as const,
  ),
];

test.each(local)("a request is local: %s (G10)", (_case, changed) => {
  expect(judgeLocality({ ...facts, ...changed })).toEqual({ local: true });
});

test.each(foreign)("a request is not local when %s, and the reason says so (G10)", (_case, changed, reason) => {
  expect(judgeLocality({ ...facts, ...changed })).toEqual({ local: false, reason: expect.stringMatching(reason) });
});

const localFacts = { tokens: false, boundAddress: "127.0.0.1", peerAddress: "127.0.0.1", host: "localhost" };
const proxied = { ...localFacts, headerNames: ["via"] };

test("auto tells local requests apart, single-user takes all for local, session none", () => {
  expect(judgeCaller("auto", localFacts)).toEqual({ local: true });
  expect(judgeCaller("auto", proxied)).toMatchObject({ local: false });
  expect(judgeCaller("single-user", proxied)).toEqual({ local: true });
  expect(judgeCaller("session", localFacts)).toEqual({ local: false, reason: "the server has --owner session" });
});

test("the sentence of the banner says whose tasks a call reaches, and why", () => {
  const server = { tokens: false, boundAddress: "127.0.0.1" };
  expect([
    ownerSentence("auto", server),
    ownerSentence("auto", { ...server, tokens: true }),
    ownerSentence("auto", { ...server, boundAddress: "0.0.0.0" }),
    ownerSentence("auto", { ...server, allowedHosts: ["tools.example"] }),
    ownerSentence("auto", { ...server, allowedHosts: ["tools.example"], publicUrl: "https://tools.example/mcp" }),
    ownerSentence("session", server),
    ownerSentence("single-user", { ...server, allowedHosts: ["tools.example"] }),
  ]).toEqual([
    "the client's id, or your user; through a proxy, the session (--owner auto)",
    "the subject of the token",
    "a client's id of random bits, or the session (the server listens on an address that is not known to be a loopback address)",
    "a client's id of random bits, or the session (the server has a public name (--allowed-host))",
    "a client's id of random bits, or the session (the server has a public name (--public-url))",
    "a client's id of random bits, or the session (--owner session)",
    "the client's id, or one user for all calls (--owner single-user)",
  ]);
});
