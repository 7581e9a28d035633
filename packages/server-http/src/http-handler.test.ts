import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { HttpAnswer, type HttpRequest, type RemotePeer, type RequestContext } from "@resumable-mcp/mcp";
import { ofWebRequest } from "@resumable-mcp/mcp/internal";
import { expect, test } from "vitest";
import { TrustedProxies } from "./addresses.js";
import { hostRules } from "./allowed-hosts.js";
import { createAuthorization } from "./auth/authorization.js";
import type { AuthInfo, VerifyToken } from "./auth/bearer.js";
import { authLimits } from "./auth/limits.js";
import { createHttpEntry, type HttpEntryOptions } from "./http-handler.js";
import { type HttpLimits, httpLimits } from "./http-limits.js";
import type { Log } from "./log.js";

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

/** What stands around an endpoint that answers Web-standard requests. */
function handlerAround({ endpoint, ...options }: HttpEntryOptions & { readonly endpoint: Endpoint }) {
  const answer = createHttpEntry(options, async (request, context) =>
    HttpAnswer.ofWeb(await endpoint(request, context)),
  );
  return async (request: Request, connection?: RemotePeer) => (await answer(ofWebRequest(request), connection)).toWeb();
}

type Endpoint = (request: HttpRequest, context: RequestContext) => Promise<Response>;

interface Options {
  readonly log?: Log;
  readonly limits?: Partial<HttpLimits>;
  readonly trustedProxies?: TrustedProxies;
  readonly onContext?: (context: RequestContext) => void;
  readonly serve?: (request: HttpRequest) => Promise<Response>;
}

interface RequestParts {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const served = async () => new Response("served");

function responses(
  verify: VerifyToken | undefined,
  { log = () => {}, limits = {}, trustedProxies, onContext = () => {}, serve = served }: Options = {},
) {
  const handle = handlerAround({
    engine: createEngine({ store: createMemoryStore(), tools: [] }),
    endpoint: async (request, context) => {
      onContext(context);
      return serve(request);
    },
    trustedProxies,
    path: "/mcp",
    rules: hostRules({ host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] }),
    limits: { ...httpLimits, requestsPerSecond: 0.001, requestBurst: 2, ...limits },
    log,
    authorization: verify && authorizationOf(verify, log, limits),
  });
  return async (
    token: string | undefined,
    remoteAddress: string,
    { path = "/mcp", method = "GET", headers = {}, body }: RequestParts = {},
  ) => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const all = { host: "127.0.0.1", ...authorization, ...headers };
    const request = new Request(`http://127.0.0.1${path}`, { method, headers: all, body });
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
    authorizationServers: ["https://idp.example"],
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

test("callers without a token are limited by their address, and do not delay callers with one (G11)", async () => {
  const status = handler(verifyToken);
  const seen: number[] = [];
  for (let times = 0; times < 3; times++) seen.push(await status(undefined, "192.0.2.1"));
  expect(seen).toEqual([401, 401, 429]);
  expect([await status(undefined, "192.0.2.2"), await status("app.ada", "192.0.2.1")]).toEqual([401, 200]);
});

test("no token of an address that guesses is looked at any more, and other addresses are served (F6)", async () => {
  const looked: string[] = [];
  const verify: VerifyToken = (token) => {
    looked.push(token);
    return verifyToken(token);
  };
  const ask = responses(verify, { limits: { failuresPerSecond: 0.001, failureBurst: 2 } });
  const answers: Response[] = [];
  for (const token of ["one", "two", "three", "app.ada"]) answers.push(await ask(token, "192.0.2.1"));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 429, 429]);
  expect(looked).toEqual(["one", "two"]);
  expect(answers.at(-1)?.headers.get("retry-after")).toBe("1000");
  expect([(await ask("app.ada", "192.0.2.2")).status, (await ask(undefined, "192.0.2.1")).status]).toEqual([200, 401]);
});

test("the log says once that a proxy in front is not trusted", async () => {
  const lines: string[] = [];
  const log: Log = (_level, message, facts) => lines.push(`${message} ${facts?.address}`);
  const trustedProxies = new TrustedProxies(["10.0.0.1"]);
  const ask = responses(verifyToken, { log, trustedProxies, limits: { requestBurst: 10 } });
  const headers = { "x-forwarded-for": "203.0.113.1" };
  for (const peer of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) await ask("app.ada", peer, { headers });
  expect(lines).toEqual([expect.stringMatching(/is not a trusted proxy\. .*--trusted-proxy.* 10\.0\.0\.2$/)]);
});

test("of tokens that one address sends at once no more are looked at than it may guess (F6)", async () => {
  const looked: string[] = [];
  const verify: VerifyToken = async (token) => {
    looked.push(token);
    return undefined;
  };
  const ask = responses(verify, { limits: { failuresPerSecond: 0.001, failureBurst: 2 } });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(`guess-${index}`, "192.0.2.1")));
  const refused = answers.filter(({ status }) => status === 429);
  expect([looked.length, refused.length]).toEqual([2, 98]);
});

test("who guesses at an address does not keep out a token of it that was valid before (F6)", async () => {
  const limits = { failuresPerSecond: 0.001, failureBurst: 1, requestBurst: 10 };
  const ask = responses(verifyToken, { limits });
  const seen: number[] = [];
  for (const token of ["app.ada", "guess", "guess", "app.ada", "app.bob"]) {
    seen.push((await ask(token, "192.0.2.1")).status);
  }
  expect(seen).toEqual([200, 401, 429, 200, 429]);
});

test("metadata is where the challenge says, whether or not the public URL ends with a slash", async () => {
  for (const publicUrl of [
    "https://example.com/services/mcp/",
    "https://example.com/services/mcp",
    "https://example.com/",
  ]) {
    const handle = handlerAround({
      engine: createEngine({ store: createMemoryStore(), tools: [] }),
      endpoint: async () => new Response("served"),
      path: "/mcp",
      rules: hostRules({ host: "127.0.0.1", allowedHosts: ["example.com"], allowedOrigins: [] }),
      limits: httpLimits,
      log: () => {},
      publicUrl,
      authorization: createAuthorization({
        verifyToken,
        timeoutMs: 1_000,
        tools: [],
        resource: () => publicUrl,
        authorizationServers: ["https://idp.example"],
        onFailure: () => {},
      }),
    });
    const at = (url: string) => handle(new Request(url, { headers: { host: "example.com" } }));
    const challenge = (await at("http://example.com/mcp")).headers.get("www-authenticate");
    const url = /resource_metadata="([^"]+)"/.exec(challenge ?? "")?.[1] ?? "";
    expect(await (await at(url)).json()).toMatchObject({ resource: publicUrl });
  }
});

test("callers behind a trusted proxy have a limit each, whatever they invent (F6)", async () => {
  const trustedProxies = new TrustedProxies(["10.0.0.1"]);
  const ask = responses(verifyToken, { limits: { failuresPerSecond: 0.001, failureBurst: 1 }, trustedProxies });
  const from = async (token: string, forwarded: string, peer = "10.0.0.1") =>
    (await ask(token, peer, { headers: { "x-forwarded-for": forwarded } })).status;
  expect([await from("guess", "203.0.113.1"), await from("guess", "203.0.113.1")]).toEqual([401, 429]);
  expect([await from("guess", "203.0.113.7, 203.0.113.1"), await from("app.ada", "203.0.113.2")]).toEqual([429, 200]);
  expect([await from("guess", "203.0.113.3", "192.0.2.1"), await from("guess", "203.0.113.4", "192.0.2.1")]).toEqual([
    401, 429,
  ]);
});

test.each<[string, { path?: string; method?: string; headers?: Record<string, string> }, number]>([
  ["an unknown path", { path: "/other" }, 404],
  ["a question of a browser", { method: "OPTIONS" }, 204],
  ["a question for the metadata", { path: "/.well-known/oauth-protected-resource/mcp" }, 200],
  ["a foreign page", { headers: { origin: "https://evil.example" } }, 403],
  ["a foreign name", { headers: { host: "evil.example" } }, 403],
])("%s is limited by the caller's address (F12)", async (_, request, status) => {
  const ask = responses(verifyToken);
  const seen: number[] = [];
  for (let times = 0; times < 3; times++) seen.push((await ask(undefined, "192.0.2.1", request)).status);
  expect(seen).toEqual([status, status, 429]);
  expect((await ask(undefined, "192.0.2.2", request)).status).toBe(status);
});

test("a caller has no more bodies on their way than the limit, and others are served (F12)", async () => {
  const begun: RequestContext[] = [];
  const ask = responses(verifyToken, {
    limits: { maxOpenBodies: 2, requestBurst: 10 },
    onContext: (context) => begun.push(context),
    serve: () => new Promise(() => {}),
  });
  const post = (token: string) => ask(token, "192.0.2.1", { method: "POST" });
  for (let times = 0; times < 2; times++) void post("app.ada");
  await expect.poll(() => begun.length).toBe(2);
  const refused = await post("app.ada");
  const message = expect.stringContaining("maxOpenBodies = 2");
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: { message } }]);
  void post("app.bob");
  await expect.poll(() => begun.length).toBe(3);
});

test.each([
  ["of a subject", verifyToken, "app.ada", "app.bob"],
  ["without a token", undefined, undefined, undefined],
])(
  "a caller %s waits after a large body that was read, which counts as one request for each 64 KiB (G11)",
  async (...given) => {
    const [, verify, ada, bob] = given;
    const serve = async (request: HttpRequest) => new Response(await request.text(200_000));
    const ask = responses(verify, { limits: { requestBurst: 4 }, serve });
    const post = async (length: number) => {
      const headers = { "content-length": String(length) };
      return (await ask(ada, "192.0.2.1", { method: "POST", headers, body: "x".repeat(length) })).status;
    };
    // What is not read costs no more than its head.
    expect([await post(200_001), await post(150_000), await post(1)]).toEqual([200, 200, 429]);
    expect((await ask(bob, "192.0.2.2")).status).toBe(200);
  },
);

test("a caller without a token is counted by its network, and one of this machine is not (F5)", async () => {
  const seen: unknown[] = [];
  const ask = responses(undefined, { onContext: ({ network }) => seen.push(network) });
  for (const address of ["192.0.2.1", "2001:db8::1", "127.0.0.1"]) await ask(undefined, address);
  expect(seen).toEqual(["192.0.2.1", "2001:db8:0:0", undefined]);
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
  const handle = handlerAround({
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

test("a token in the address of a request is not read", async () => {
  const ask = responses(verifyToken);
  expect((await ask(undefined, "192.0.2.1", { path: "/mcp?access_token=app.ada" })).status).toBe(401);
  expect((await ask("app.ada", "192.0.2.1")).status).toBe(200);
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

/** What an author without types may give. */
const nonsense =
  (facts: object): VerifyToken =>
  (token) => ({ token, clientId: "ada", scopes: [], ...facts });

test("a token that is longer than the limit is not valid, and is not looked at", async () => {
  const looked: string[] = [];
  const verify: VerifyToken = (token) => {
    looked.push(token);
    return undefined;
  };
  expect((await responses(verify)("x".repeat(authLimits.maxTokenLength + 1), "192.0.2.1")).status).toBe(401);
  expect(looked).toEqual([]);
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
  ["names no client", (token) => ({ token, clientId: "", scopes: [] }), "verifyToken gave no clientId."],
  ["gives no scopes", nonsense({ scopes: undefined }), "verifyToken gave scopes that are not a list of texts."],
  ["gives scopes as text", nonsense({ scopes: "payroll" }), "verifyToken gave scopes that are not a list of texts."],
  ["gives scopes that are none", nonsense({ scopes: [7] }), "verifyToken gave scopes that are not a list of texts."],
  ["gives null as extra", nonsense({ extra: null }), "verifyToken gave an extra that is not an object."],
  [
    "gives no time",
    (token) => ({ token, clientId: "ada", scopes: [], expiresAt: Number.NaN }),
    "verifyToken gave an expiresAt that is not a number of seconds.",
  ],
])("a token that cannot be checked gives 500 and a line in the log where verifyToken %s", async (_, verify, why) => {
  const lines: string[] = [];
  const log: Log = (level, message) => lines.push(`${level} ${message}`);
  const answer = await responses(verify, { log })("secret", "192.0.2.1");
  const message = "The server could not check the token. Try again later; the operator finds the cause in the log.";
  expect([answer.status, await answer.json()]).toMatchObject([500, { error: { message } }]);
  expect(lines).toEqual([`error A token could not be checked: ${why}`, "error refused"]);
});
