import { expect, test } from "vitest";
import { AuthorizationServerAway } from "./bearer.js";
import { createIntrospectionVerifier } from "./introspection-verifier.js";
import { authLimits } from "./limits.js";

const issuer = "https://idp.example";
const audience = "https://mcp.example/mcp";
const active = { active: true, sub: "ada", client_id: "app", scope: "read pay", aud: [audience], token_type: "Bearer" };

/** A verifier, and the server that it asks, which says of all tokens the same. */
function verifier(says: object = active) {
  const state = { says, status: 200, requests: [] as RequestInit[], nowMs: 0 };
  const verify = createIntrospectionVerifier({
    url: `${issuer}/introspect`,
    credentials: { id: "mcp server", secret: "s:cret%" },
    issuers: [issuer, "https://other.example"],
    audiences: () => [audience],
    fetch: async (_url, init = {}) => {
      state.requests.push(init);
      return state.status === 200 ? Response.json(state.says) : new Response("", { status: state.status });
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
])("a token %s is refused", async (_, says) => {
  expect(await verifier(says).verify("opaque")).toBeUndefined();
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
  ["fails", { status: 503 }],
  ["has nothing there", { status: 404 }],
  ["says something else", { says: { ok: true } }],
])("a server that %s makes no token invalid", async (_, facts) => {
  const { verify, state } = verifier();
  Object.assign(state, facts);
  await expect(verify("opaque")).rejects.toBeInstanceOf(AuthorizationServerAway);
});
