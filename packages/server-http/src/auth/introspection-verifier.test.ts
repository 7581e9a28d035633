import { ownerOfToken } from "@resumable-mcp/mcp";
import { afterEach, expect, test, vi } from "vitest";
import { AuthorizationServerAway, readToken } from "./bearer.js";
import { createIntrospectionVerifier } from "./introspection-verifier.js";
import { authLimits } from "./limits.js";

const issuer = "https://idp.example";
const audience = "https://mcp.example/mcp";
const active = { active: true, sub: "ada", client_id: "app", scope: "read pay", aud: [audience], token_type: "Bearer" };

afterEach(() => void vi.useRealTimers());

/** A verifier, and the server that it asks, which says of all tokens the same. */
function verifier(says: unknown = active) {
  const state = { says, status: 200, requests: [] as RequestInit[], nowMs: 0 };
  const verify = createIntrospectionVerifier({
    url: `${issuer}/introspect`,
    credentials: { id: "mcp server", secret: "s:cret%" },
    issuers: [issuer, "https://other.example"],
    audiences: [audience],
    fetch: async (_url, init = {}) => {
      state.requests.push(init);
      return Response.json(state.says, { status: state.status });
    },
    nowMs: () => state.nowMs,
  });
  return { verify, state };
}

test("an active token for this server says whose it is and what it may", async () => {
  const { verify, state } = verifier({ ...active, exp: 4_102_444_800 });
  expect(await verify("opaque")).toEqual({
    token: "opaque",
    clientId: "app",
    scopes: ["read", "pay"],
    expiresAt: 4_102_444_800,
    extra: { iss: issuer, sub: "ada", aud: [audience] },
  });
  const basic = Buffer.from("mcp+server:s%3Acret%25").toString("base64");
  expect(state.requests).toMatchObject([
    { method: "POST", headers: { authorization: `Basic ${basic}` }, body: "token=opaque" },
  ]);
});

test.each<[string, object]>([
  ["that is not active", { active: false }],
  ["for another server", { ...active, aud: "https://other.example/mcp" }],
  ["for no server", { ...active, aud: undefined }],
  ["of another issuer", { ...active, iss: "https://evil.example" }],
  ["without an owner", { ...active, sub: undefined, client_id: undefined }],
  ["that is bound to a key", { ...active, token_type: "DPoP" }],
  ["that only the holder of a key may use", { ...active, cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }],
  ["whose end is not a time", { ...active, exp: "soon" }],
  ["whose end is a list", { ...active, exp: [4_102_444_800, 1] }],
])("a token %s is refused", async (_, says) => {
  expect(await verifier(says).verify("opaque")).toBeUndefined();
});

test("G10 users of one client whom the answer names without a subject are not one owner, nor the program", async () => {
  const { verify, state } = verifier();
  const ownerOf = async (says: object) => {
    state.says = { ...active, sub: undefined, ...says };
    const info = await verify(JSON.stringify(says));
    return info && ownerOfToken(info);
  };
  expect([await ownerOf({ username: "u1" }), await ownerOf({ username: "u2" }), await ownerOf({})]).toEqual([
    `user:${issuer} u1`,
    `user:${issuer} u2`,
    `app:${issuer} app`,
  ]);
  expect(await ownerOf({ username: "u1", client_id: undefined })).toBe(`user:${issuer} u1`);
});

test.each([
  ["a number as its subject", { sub: 1001 }],
  ["a number as its subject and no client", { sub: 1001, client_id: undefined }],
  ["an email address alone", { sub: undefined, email: "u1@users.example" }],
])("G10 a token whose answer has %s is refused, and why is said", async (_, says) => {
  const { verify } = verifier({ ...active, ...says });
  const verdict = await readToken({ header: () => "Bearer opaque" }, verify, 10_000);
  expect(verdict).toEqual({ refused: "invalid", why: expect.stringMatching(/sub/) });
});

test("an end that is a number in a text is an end", async () => {
  expect(await verifier({ ...active, exp: "4102444800" }).verify("opaque")).toMatchObject({ expiresAt: 4_102_444_800 });
  const past = await readToken({ header: () => "Bearer opaque" }, verifier({ ...active, exp: "1" }).verify, 10_000);
  expect(past).toEqual({ refused: "expired" });
});

test("an audience is this server's also with capitals in scheme and host", async () => {
  const { verify } = verifier({ ...active, aud: "HTTPS://MCP.example/mcp" });
  expect(await verify("opaque")).toMatchObject({ extra: { sub: "ada" } });
});

test("the answer names the issuer, where there are several", async () => {
  const { verify } = verifier({ ...active, iss: "https://other.example" });
  expect(await verify("opaque")).toMatchObject({ extra: { iss: "https://other.example" } });
});

test("answers are remembered for a time, also bad ones, and requests that come at once are one", async () => {
  const { verify, state } = verifier();
  const asked = async (nowMs: number) => {
    state.nowMs = nowMs;
    await Promise.all([verify("opaque"), verify("opaque")]);
    return state.requests.length;
  };
  expect([await asked(0), await asked(authLimits.activeTokenMs - 1)]).toEqual([1, 1]);
  state.says = { active: false };
  expect(await asked(authLimits.activeTokenMs)).toBe(2);
  const refusedMs = authLimits.activeTokenMs + authLimits.inactiveTokenMs;
  expect([await asked(refusedMs - 1), await asked(refusedMs)]).toEqual([2, 3]);
});

test("no more tokens are remembered than the limit, and guesses push out none that is active", async () => {
  const { verify, state } = verifier();
  await verify("good");
  state.says = { active: false };
  for (let guess = 0; guess <= authLimits.maxCachedTokens; guess++) await verify(`guess-${guess}`);
  const before = state.requests.length;
  expect(await verify("good")).toMatchObject({ extra: { sub: "ada" } });
  await verify("guess-1");
  expect(state.requests).toHaveLength(before);
  await verify("guess-0");
  expect(state.requests).toHaveLength(before + 1);
});

test.each<[string, Partial<ReturnType<typeof verifier>["state"]>]>([
  ["refuses this server's credentials", { status: 401 }],
  ["refuses them as OAuth says", { status: 400, says: { error: "invalid_client" } }],
  ["fails", { status: 500 }],
  ["has too many requests", { status: 429 }],
  ["stops it in front of it", { status: 403 }],
  ["has nothing there", { status: 404 }],
  ["says something else", { says: { ok: true } }],
  ["says nothing", { says: null }],
])(
  "a server that %s makes no token invalid, is not asked about it with every request, and still about others",
  async (_, facts) => {
    const { verify, state } = verifier();
    Object.assign(state, facts);
    for (const token of ["one", "another", "one"]) {
      await expect(verify(token)).rejects.toBeInstanceOf(AuthorizationServerAway);
    }
    expect(state.requests).toHaveLength(2);
    Object.assign(state, { status: 200, says: active });
    expect(await verify("good")).toMatchObject({ extra: { sub: "ada" } });
  },
);

test("while the server is silent about a token, others are checked", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const verify = createIntrospectionVerifier({
    url: `${issuer}/introspect`,
    credentials: { id: "mcp", secret: "secret" },
    issuers: [issuer],
    audiences: [audience],
    fetch: (_url, { body, signal } = {}) =>
      body === "token=odd"
        ? new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
        : Promise.resolve(Response.json(active)),
  });
  const odd = verify("odd");
  expect(await verify("good")).toMatchObject({ extra: { sub: "ada" } });
  const silent = expect(odd).rejects.toThrow(/No answer within/);
  await vi.advanceTimersByTimeAsync(authLimits.fetchTimeoutMs + 1);
  await silent;
  expect(await verify("another")).toMatchObject({ extra: { sub: "ada" } });
});

test("after failures of so many different tokens in a row the server is not asked for a time (G11)", async () => {
  const { verify, state } = verifier();
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const refuse = (tokens: readonly string[]) =>
    Promise.all(tokens.map((token) => expect(verify(token)).rejects.toBeInstanceOf(AuthorizationServerAway)));
  const tokens = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`);
  try {
    const { maxFailuresInRow, retryFetchMs } = authLimits;
    state.status = 500;
    await refuse(tokens("first", maxFailuresInRow - 1));
    state.status = 200;
    await verify("good");
    state.status = 500;
    await refuse(tokens("second", maxFailuresInRow));
    const asked = state.requests.length;
    expect(asked).toBe(2 * maxFailuresInRow);
    state.status = 200;
    await refuse(["third"]);
    expect(state.requests).toHaveLength(asked);
    clock.mockReturnValue(retryFetchMs);
    expect(await verify("third")).toMatchObject({ extra: { sub: "ada" } });
  } finally {
    clock.mockRestore();
  }
});

test.each([
  [400, { error: "invalid_request" }],
  [400, null],
  [413, null],
  [414, null],
  [422, { error: "invalid_token" }],
  [431, null],
])(
  "a token that the server answers with status %i and %j is not valid, and costs no other token its check",
  async (status, says) => {
    const { verify, state } = verifier();
    Object.assign(state, { status, says });
    expect(await verify("odd")).toBeUndefined();
    Object.assign(state, { status: 200, says: active });
    expect(await verify("good")).toMatchObject({ extra: { sub: "ada" } });
  },
);

test("of tokens that come at once no more are asked about than the limit (G11)", async () => {
  const waiting: (() => void)[] = [];
  const verify = createIntrospectionVerifier({
    url: `${issuer}/introspect`,
    credentials: { id: "mcp", secret: "secret" },
    issuers: [issuer],
    audiences: [audience],
    fetch: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return Response.json(active);
    },
  });
  const asked = Array.from({ length: authLimits.maxOpenIntrospections }, (_, index) => verify(`token-${index}`));
  await expect(verify("one-more")).rejects.toBeInstanceOf(AuthorizationServerAway);
  expect(waiting).toHaveLength(authLimits.maxOpenIntrospections);
  for (const answer of waiting.splice(0)) answer();
  expect((await Promise.all(asked)).every((info) => info !== undefined)).toBe(true);
  const next = verify("one-more");
  for (const answer of waiting) answer();
  expect(await next).toMatchObject({ extra: { sub: "ada" } });
});

test("a server is asked over https, or on this machine", () => {
  const make = (url: string) =>
    createIntrospectionVerifier({
      url,
      credentials: { id: "i", secret: "s" },
      issuers: [issuer],
      audiences: [audience],
    });
  expect(() => make("http://idp.example/introspect")).toThrow("url must begin with https://");
  expect(make("http://127.0.0.1/introspect?x=1")).toBeTypeOf("function");
});
