import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { hostRules } from "./allowed-hosts.js";
import { createAuthorization } from "./auth/authorization.js";
import type { AuthInfo, VerifyToken } from "./auth/bearer.js";
import { createHttpHandler, type Log } from "./http-handler.js";
import { type HttpLimits, httpLimits } from "./http-limits.js";

/** Tokens of the form `<client>.<subject>`. */
function verifyToken(token: string): AuthInfo | undefined {
  const [clientId = "", sub] = token.split(".");
  return sub === undefined ? undefined : { token, clientId, scopes: [], extra: { sub } };
}

/** A server that lets two requests through and then none; `from` is the address that the next request comes from. */
function handler(verify: VerifyToken | undefined) {
  const ask = responses(verify);
  return async (token: string | undefined, remoteAddress: string) => (await ask(token, remoteAddress)).status;
}

function responses(
  verify: VerifyToken | undefined,
  { log = () => {}, limits = {} }: { log?: Log; limits?: Partial<HttpLimits> } = {},
) {
  const handle = createHttpHandler({
    engine: createEngine({ store: createMemoryStore(), tools: [] }),
    endpoint: async () => new Response("served"),
    path: "/mcp",
    rules: hostRules({ host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] }),
    limits: { ...httpLimits, requestsPerSecond: 0.001, requestBurst: 2, ...limits },
    log,
    authorization: verify && authorizationOf(verify, log, limits),
  });
  return async (token: string | undefined, remoteAddress: string) => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = new Request("http://127.0.0.1/mcp", { headers: { host: "127.0.0.1", ...authorization } });
    return handle(request, { remoteAddress });
  };
}

function authorizationOf(verifyToken: VerifyToken, log: Log, limits: Partial<HttpLimits>) {
  const { verifyTokenTimeoutMs: timeoutMs } = { ...httpLimits, ...limits };
  const onFailure = (message: string) => log("error", message);
  return createAuthorization({
    verifyToken,
    timeoutMs,
    tools: [],
    resource: () => "https://mcp.example/mcp",
    authorizationServers: [],
    onFailure,
  });
}

test("each subject has a rate of its own, whatever client and address it comes by (G11)", async () => {
  const status = handler(verifyToken);
  const seen: number[] = [];
  for (const token of ["app.ada", "tool.ada", "app.ada", "app.bob"]) seen.push(await status(token, "192.0.2.1"));
  seen.push(await status("app.ada", "192.0.2.2"));
  expect(seen).toEqual([200, 200, 429, 200, 429]);
});

test("callers without a valid token are limited by their address, and do not delay callers with one (G11)", async () => {
  const status = handler(verifyToken);
  const seen: number[] = [];
  for (const token of [undefined, "guessed", "guessed", undefined]) seen.push(await status(token, "192.0.2.1"));
  expect(seen).toEqual([401, 401, 429, 429]);
  expect([await status("guessed", "192.0.2.2"), await status("app.ada", "192.0.2.1")]).toEqual([401, 200]);
});

test("a server that wants no token holds other machines' callers by their address (G11)", async () => {
  const status = handler(undefined);
  const seen: number[] = [];
  for (let times = 0; times < 3; times++) {
    seen.push(await status(undefined, "192.0.2.1"), await status(undefined, "127.0.0.1"));
  }
  expect(seen).toEqual([200, 200, 200, 200, 429, 200]);
});

test("a path of many slashes costs no more than its length (G11)", async () => {
  const handle = createHttpHandler({
    engine: createEngine({ store: createMemoryStore(), tools: [] }),
    endpoint: async () => new Response("served"),
    path: "/mcp/",
    rules: hostRules({ host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] }),
    limits: httpLimits,
    log: () => {},
  });
  // A quadratic search needs minutes for this one, and the test's time limit ends it.
  const slashes = "/".repeat(400_000);
  const statusOf = async (path: string) =>
    (await handle(new Request(`http://127.0.0.1${path}`, { headers: { host: "127.0.0.1" } }))).status;
  expect([await statusOf(`/a${slashes}x`), await statusOf(`/mcp${slashes}`), await statusOf("/mcp")]).toEqual([
    404, 200, 200,
  ]);
});

test.each<[string, VerifyToken, string | undefined, string]>([
  ["without a token", () => undefined, undefined, "Send a bearer token in the header Authorization."],
  [
    "with another token",
    () => undefined,
    "x",
    "The token is not valid. Ask the operator of this server for another one, or sign in again.",
  ],
  [
    "with an expired token",
    (token) => ({ token, clientId: "ada", scopes: [], expiresAt: 1 }),
    "x",
    "The token has expired. Ask the operator of this server for another one, or sign in again.",
  ],
])("a caller %s reads what to do next", async (_, verify, token, message) => {
  const answer = await responses(verify)(token, "192.0.2.1");
  expect([answer.status, await answer.json()]).toMatchObject([401, { error: { message } }]);
  expect(answer.headers.get("www-authenticate")?.includes(message)).toBe(token !== undefined);
});

/** As `jose` and the SDK throw them. */
const thrown = (code: object) => () => Promise.reject(Object.assign(new Error("no"), code));

test.each<[string, VerifyToken]>([
  ["gives null", () => null],
  ["throws what the SDK throws", thrown({ errorCode: "invalid_token" })],
  ["throws that the token has expired", thrown({ code: "ERR_JWT_EXPIRED" })],
  ["throws that the signature is wrong", thrown({ code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" })],
  ["throws that no key fits", thrown({ code: "ERR_JWKS_NO_MATCHING_KEY" })],
])("a token is refused with 401 where verifyToken %s", async (_, verify) => {
  const answer = await responses(verify)("x", "192.0.2.1");
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
});

test.each<[string, VerifyToken, string]>([
  [
    "throws at once",
    () => {
      throw new Error("The provider is away.");
    },
    "The provider is away.",
  ],
  ["rejects", () => Promise.reject(new Error("The provider is away.")), "The provider is away."],
  ["cannot get the keys", thrown({ code: "ERR_JWKS_TIMEOUT" }), "no"],
  ["does not answer", () => new Promise(() => {}), "verifyToken has not answered within 1 ms."],
  ["names no client", (token) => ({ token, clientId: "", scopes: [] }), "verifyToken gave no clientId."],
  [
    "gives no time",
    (token) => ({ token, clientId: "ada", scopes: [], expiresAt: Number.NaN }),
    "verifyToken gave an expiresAt that is not a number of seconds.",
  ],
])("a token that cannot be checked gives 500 and a line in the log where verifyToken %s", async (_, verify, why) => {
  const lines: string[] = [];
  const log: Log = (level, message) => lines.push(`${level} ${message}`);
  const answer = await responses(verify, { log, limits: { verifyTokenTimeoutMs: 1 } })("secret", "192.0.2.1");
  const message = "The server could not check the token. Try again later; the operator finds the cause in the log.";
  expect([answer.status, await answer.json()]).toMatchObject([500, { error: { message } }]);
  expect(lines).toEqual([`error A token could not be checked: ${why}`, "error refused"]);
});
