import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, expect, test, vi } from "vitest";
import { AuthorizationServerAway, readToken } from "./bearer.js";
import { createJwtVerifier } from "./jwt-verifier.js";
import { authLimits } from "./limits.js";

const issuer = "https://idp.example/realm";
const audience = "https://mcp.example/mcp";

interface Signer {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

async function makeSigner(kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

let first: Signer;
let second: Signer;
beforeAll(async () => {
  [first, second] = await Promise.all([makeSigner("one"), makeSigner("two")]);
});

interface SignOptions {
  readonly by?: Signer;
  readonly typ?: string | undefined;
}

const fine = { iss: issuer, sub: "ada", aud: audience, client_id: "app", scope: "read pay", exp: inSeconds(600) };

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

function sign(claims: JWTPayload, { by = first, ...options }: SignOptions = {}): Promise<string> {
  const typ = "typ" in options ? options.typ : "at+jwt";
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: by.kid, typ }).sign(by.privateKey);
}

/** An authorization server; `keys` are those that it has now. */
function server() {
  const state = { keys: [first], asked: [] as string[], status: 200, issuer, before: 404, says: undefined as unknown };
  const fetch = async (url: string): Promise<Response> => {
    state.asked.push(url);
    if (state.status !== 200) return new Response("", { status: state.status });
    if (url === "https://idp.example/.well-known/openid-configuration/realm") {
      return Response.json({ issuer: state.issuer, jwks_uri: "https://idp.example/keys" });
    }
    if (url !== "https://idp.example/keys") return new Response("", { status: state.before });
    return Response.json(state.says ?? { keys: state.keys.map(({ publicJwk }) => publicJwk) });
  };
  return { state, verify: createJwtVerifier({ issuers: [issuer], audiences: [audience], fetch }) };
}

/** What becomes of a request with a token. */
async function judge(verify: ReturnType<typeof createJwtVerifier>, token: string) {
  const verdict = await readToken({ header: () => `Bearer ${token}` }, verify, 10_000);
  if ("refused" in verdict) return verdict.refused;
  return "info" in verdict ? verdict.info.extra : verdict.failed;
}

test("a token of the issuer, for this server, says whose it is, what it may, and until when", async () => {
  const { verify, state } = server();
  const token = await sign({ ...fine, scp: ["write"] });
  expect(await verify(token)).toEqual({
    token,
    clientId: "app",
    scopes: ["read", "pay", "write"],
    expiresAt: fine.exp + authLimits.clockToleranceSeconds,
    extra: { iss: issuer, sub: "ada", aud: audience },
  });
  await verify(token);
  // RFC 8414 first, and everything is asked once.
  expect(state.asked).toEqual([
    "https://idp.example/.well-known/oauth-authorization-server/realm",
    "https://idp.example/.well-known/openid-configuration/realm",
    "https://idp.example/keys",
  ]);
});

test.each<[string, Partial<JWTPayload>, SignOptions]>([
  ["of another audience", { aud: "https://other.example/mcp" }, {}],
  ["of no audience", { aud: undefined }, {}],
  ["of another path in capitals", { aud: "https://mcp.example/MCP" }, {}],
  ["of another issuer", { iss: "https://evil.example" }, {}],
  ["of no issuer", { iss: undefined }, {}],
  ["that has expired", { exp: 1 }, {}],
  ["that does not expire", { exp: undefined }, {}],
  ["that is not valid yet", { nbf: 4_102_444_800 }, {}],
  ["without an owner", { sub: undefined, client_id: undefined }, {}],
  ["that is a logout token", {}, { typ: "logout+jwt" }],
  ["that is bound to a key", {}, { typ: "dpop+jwt" }],
  ["that only the holder of a key may use", { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }, {}],
])("a token %s is refused", async (_, claims, options) => {
  expect(await judge(server().verify, await sign({ ...fine, ...claims }, options))).toBe("invalid");
});

test.each([["HTTPS://MCP.Example/mcp"], [["api://other", "https://MCP.example/mcp"]]])(
  "an audience is this server's also with capitals in scheme and host: %j",
  async (aud) => {
    expect(await judge(server().verify, await sign({ ...fine, aud }))).toMatchObject({ sub: "ada" });
  },
);

test.each(["at+jwt", "application/at+jwt", "AT+JWT", "JWT", undefined])("type %s is accepted", async (typ) => {
  expect(await judge(server().verify, await sign(fine, { typ }))).toMatchObject({ sub: "ada" });
});

test("a token that is changed, signed by another key, without a signature or with a shared secret is refused", async () => {
  const { verify } = server();
  const [header = "", , signature = ""] = (await sign(fine)).split(".");
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = encode({ ...fine, sub: "eve" });
  const secret = new TextEncoder().encode(JSON.stringify(first.publicJwk));
  const tokens = [
    `${header}.${forged}.${signature}`,
    await sign(fine, { by: { ...second, kid: "one" } }),
    `${encode({ alg: "none", typ: "at+jwt" })}.${forged}.`,
    await new SignJWT(fine).setProtectedHeader({ alg: "HS256", kid: "one", typ: "at+jwt" }).sign(secret),
    "opaque-token",
    "a.b.c",
  ];
  for (const token of tokens) expect(await judge(verify, token)).toBe("invalid");
});

test.each<[string, object]>([
  ["crit of an unknown name", { crit: ["exp2"], exp2: 1 }],
  ["typ that is a number", { typ: 5 }],
])("a token whose header has a %s is refused, signed or not", async (_, odd) => {
  const { verify } = server();
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "ES256", kid: "one", ...odd })}.${encode(fine)}`;
  const key = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, first.privateKey, Buffer.from(signed));
  for (const signature of [Buffer.from(key).toString("base64url"), ""]) {
    expect(await judge(verify, `${signed}.${signature}`)).toBe("invalid");
  }
});

test("a token of a program, and one of a user that names no program, are not taken for each other", async () => {
  const { verify } = server();
  expect(await verify(await sign({ ...fine, sub: "app" }))).toMatchObject({ clientId: "app", extra: { sub: "app" } });
  const nameless = await sign({ ...fine, client_id: undefined });
  expect(await verify(nameless)).toMatchObject({ clientId: issuer, extra: { sub: "ada" } });
});

test("G10 a signed token whose subject is a number is refused, and why is said", async () => {
  const { privateKey, kid } = first;
  const header = { alg: "ES256", kid, typ: "at+jwt" };
  const claims = new TextEncoder().encode(JSON.stringify({ ...fine, sub: 1001 }));
  const token = await new CompactSign(claims).setProtectedHeader(header).sign(privateKey);
  expect(await readToken({ header: () => `Bearer ${token}` }, server().verify, 10_000)).toEqual({
    refused: "invalid",
    why: expect.stringMatching(/sub/),
  });
});

test("a key that is not known makes the keys be fetched, not more often than the cool-down allows", async () => {
  const { verify, state } = server();
  const fetched = () => state.asked.filter((url) => url.endsWith("/keys")).length;
  expect(await judge(verify, await sign(fine))).toMatchObject({ sub: "ada" });
  state.keys = [first, second];
  const rotated = await sign(fine, { by: second });
  const now = vi.spyOn(Date, "now");
  try {
    expect([await judge(verify, rotated), fetched()]).toEqual(["invalid", 1]);
    const passed = Date.now() + authLimits.keysCooldownMs + 1;
    now.mockImplementation(() => passed);
    expect([await judge(verify, rotated), fetched()]).toEqual([{ iss: issuer, sub: "ada", aud: audience }, 2]);
    const stranger = await sign(fine, { by: { ...second, kid: "three" } });
    expect([await judge(verify, stranger), await judge(verify, stranger), fetched()]).toEqual([
      "invalid",
      "invalid",
      2,
    ]);
  } finally {
    now.mockRestore();
  }
});

test("a server that is away makes no token invalid, and is not asked with every request", async () => {
  const { verify, state } = server();
  state.status = 500;
  const token = await sign(fine);
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  try {
    for (let times = 0; times < 3; times++) expect(await judge(verify, token)).toBeInstanceOf(AuthorizationServerAway);
    expect(state.asked).toHaveLength(1);
    state.status = 200;
    clock.mockReturnValue(authLimits.retryFetchMs);
    expect(await judge(verify, token)).toMatchObject({ sub: "ada" });
  } finally {
    clock.mockRestore();
  }
});

test.each([400, 401, 403, 405])(
  "an address of metadata that answers %i is not the last one that is asked",
  async (status) => {
    const { verify, state } = server();
    state.before = status;
    expect(await judge(verify, await sign(fine))).toMatchObject({ sub: "ada" });
  },
);

test.each<[string, object]>([
  ["does not have its keys", { status: 404 }],
  ["gives keys that are none", { says: { keys: "none" } }],
  ["gives something else than keys", { says: [] }],
])("a server that %s is not asked with every request", async (_, facts) => {
  const { state } = server();
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json(state.says, { status: state.status });
  };
  Object.assign(state, facts);
  const jwksUrl = "https://idp.example/keys";
  const verify = createJwtVerifier({ issuers: [issuer], audiences: [audience], jwksUrl, fetch });
  const token = await sign(fine);
  for (let times = 0; times < 3; times++) expect(await judge(verify, token)).toBeInstanceOf(AuthorizationServerAway);
  expect(asked).toEqual([jwksUrl]);
});

test("of keys no more is read than the limit (G11)", async () => {
  const parts = 64;
  let sent = 0;
  const keys = new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(Buffer.alloc(authLimits.maxAnswerBytes / 4, " "));
      if (sent === parts) {
        controller.enqueue(Buffer.from(JSON.stringify({ keys: [first.publicJwk] })));
        controller.close();
      }
    },
  });
  const jwksUrl = "https://idp.example/keys";
  const fetch = async () => new Response(keys);
  const verify = createJwtVerifier({ issuers: [issuer], audiences: [audience], jwksUrl, fetch });
  expect(await judge(verify, await sign(fine))).toMatchObject({
    message: `${jwksUrl} could not be asked: The answer has more than ${authLimits.maxAnswerBytes} bytes.`,
  });
  expect(sent).toBeLessThan(parts / 4);
});

test("keys that are known serve while the server is away, for a time", async () => {
  const { verify, state } = server();
  const token = await sign({ ...fine, exp: inSeconds(7_200) });
  const renewed = await sign({ ...fine, exp: inSeconds(7_200) }, { by: second });
  expect(await judge(verify, token)).toMatchObject({ sub: "ada" });
  state.status = 503;
  const start = { wallMs: Date.now(), monotonicMs: performance.now() };
  const [wall, monotonic] = [vi.spyOn(Date, "now"), vi.spyOn(performance, "now")];
  const after = async (ms: number, what: string) => {
    wall.mockReturnValue(start.wallMs + ms);
    monotonic.mockReturnValue(start.monotonicMs + ms);
    return judge(verify, what);
  };
  try {
    expect(await after(authLimits.maxKeysAgeMs + 1, token)).toMatchObject({ sub: "ada" });
    // Whether the server has this key by now cannot be known.
    expect(await after(authLimits.maxKeysAgeMs + 2, renewed)).toBeInstanceOf(AuthorizationServerAway);
    expect(await after(authLimits.maxStaleKeysMs - 60_000, token)).toMatchObject({ sub: "ada" });
    expect(await after(authLimits.maxStaleKeysMs + 2, token)).toBeInstanceOf(AuthorizationServerAway);
  } finally {
    wall.mockRestore();
    monotonic.mockRestore();
  }
});

test("keys come over https, or from this machine", () => {
  const make = (jwksUrl: string) => createJwtVerifier({ issuers: [issuer], audiences: [audience], jwksUrl });
  expect(() => make("http://idp.example/keys")).toThrow("jwksUrl must begin with https://");
  expect(() => createJwtVerifier({ issuers: ["http://idp.example"], audiences: [audience] })).toThrow(
    "issuers must begin with https://",
  );
  expect(make("http://[::1]/keys")).toBeTypeOf("function");
});

test("metadata of another issuer is not used", async () => {
  const { verify, state } = server();
  state.issuer = "https://evil.example";
  expect(await judge(verify, await sign(fine))).toMatchObject({
    message: expect.stringContaining("is the metadata of another issuer"),
  });
  expect(state.asked.filter((url) => url.endsWith("/keys"))).toEqual([]);
});

test("the given address of the keys is used without asking for metadata", async () => {
  const { state } = server();
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json({ keys: state.keys.map(({ publicJwk }) => publicJwk) });
  };
  const jwksUrl = "https://idp.example/jwks?x=1";
  const verify = createJwtVerifier({ issuers: [issuer], audiences: [audience], jwksUrl, fetch });
  expect(await judge(verify, await sign(fine))).toMatchObject({ sub: "ada" });
  expect(asked).toEqual([jwksUrl]);
});
