import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkAuthorizationServer } from "../src/credentials/authorization-server.js";
import { createAuthorizedFetch } from "../src/credentials/authorized-fetch.js";
import { type CredentialsFile, openCredentialsFile } from "../src/credentials/credentials-file.js";
import { type SignInOptions, signIn } from "../src/credentials/sign-in.js";
import { type FakeAuthorization, type FakeRules, startFakeAuthorization } from "./fake-authorization.js";

const closing: (() => Promise<unknown>)[] = [];
let credentials: CredentialsFile;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "authorization-"));
  closing.push(() => rm(folder, { recursive: true }));
  credentials = await openCredentialsFile(join(folder, "client.credentials.json"));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(rules: FakeRules = {}): Promise<FakeAuthorization> {
  const fake = await startFakeAuthorization(rules);
  closing.push(() => fake.close());
  return fake;
}

const limits = { requestTimeoutMs: 60_000, signInTimeoutMs: 60_000 };

/** Signs in with a browser that comes back with a code, and with more `parameters`. Gives what the page was asked. */
async function signInAt(
  { address }: Pick<FakeAuthorization, "address">,
  options: Partial<SignInOptions> = {},
  parameters: Record<string, string> = {},
): Promise<URLSearchParams> {
  let asked = new URLSearchParams();
  const onPage: SignInOptions["onPage"] = (page, receive) => {
    asked = new URL(page).searchParams;
    const answer = new URLSearchParams({ state: asked.get("state") ?? "", code: "the-code", ...parameters });
    receive(`${asked.get("redirect_uri")}?${answer}`);
  };
  await signIn({ address, credentials, limits }, { onPage, ...options });
  return asked;
}

const resourceMetadata = "/.well-known/oauth-protected-resource";

describe("what is asked to find an authorization server", () => {
  test.each<[string, FakeRules, readonly string[]]>([
    [
      "the address that the refusal names, and no other",
      {
        challenge: (origin) => `Bearer error="invalid_token", resource_metadata="${origin}/about"`,
        resourceAt: "/about",
      },
      ["/about"],
    ],
    ["the address of the endpoint, where the refusal names none", {}, [`${resourceMetadata}/mcp`]],
    [
      "the address of the origin, where there is nothing at that of the endpoint",
      { resourceAt: resourceMetadata },
      [`${resourceMetadata}/mcp`, resourceMetadata],
    ],
  ])("is %s", async (_, rules, expected) => {
    const fake = await start(rules);
    await signInAt(fake);
    expect(fake.paths("GET")).toEqual([...expected, "/.well-known/oauth-authorization-server"]);
  });

  const ofPath = [
    "/.well-known/oauth-authorization-server/tenant",
    "/.well-known/openid-configuration/tenant",
    "/tenant/.well-known/openid-configuration",
  ];
  const ofOrigin = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
  const orders = [
    ...ofPath.map((metadataAt, index) => ({ issuerPath: "/tenant", metadataAt, before: ofPath.slice(0, index) })),
    ...ofOrigin.map((metadataAt, index) => ({ issuerPath: "", metadataAt, before: ofOrigin.slice(0, index) })),
  ];
  test.each(orders)("is $metadataAt after all that come before it", async ({ issuerPath, metadataAt, before }) => {
    const fake = await start({ issuerPath, metadataAt });
    await signInAt(fake);
    expect(fake.paths("GET").slice(1)).toEqual([...before, metadataAt]);
  });
});

describe("an authorization server is refused before anything secret is sent", () => {
  const refused: readonly [string, FakeRules, string][] = [
    [
      "is an OpenID provider that says nothing of PKCE",
      {
        metadataAt: "/.well-known/openid-configuration",
        metadata: () => ({ code_challenge_methods_supported: undefined }),
      },
      "does not say that it supports PKCE",
    ],
    ["is of none that the server names", { resource: { authorization_servers: [] } }, "names no authorization server"],
    [
      "is of none that the server names, and says nothing of",
      { resource: { authorization_servers: undefined } },
      "names no authorization server",
    ],
    ["is of another issuer", { metadata: () => ({ issuer: "https://honest.example" }) }, "is that of another one"],
    [
      "is of an issuer with one letter more",
      { metadata: (origin) => ({ issuer: `${origin}/` }) },
      "is that of another one",
    ],
    ...["token_endpoint", "registration_endpoint", "authorization_endpoint"].map(
      (name): [string, FakeRules, string] => [
        `has a ${name} that is not one of https`,
        { metadata: () => ({ [name]: "http://idp.example/it" }) },
        "not one of https|not a web page of https",
      ],
    ),
    ...["javascript:alert(1)", "data:text/html,hi", "vbscript:x"].map((page): [string, FakeRules, string] => [
      `names the page ${page}`,
      { metadata: () => ({ authorization_endpoint: page }) },
      "cannot use javascript:, data:, or vbscript: scheme",
    ]),
  ];
  test.each(refused)("that %s", async (_, rules, reason) => {
    const fake = await start(rules);
    const pages: string[] = [];
    const signingIn = signInAt(fake, { clientId: "by-hand", onPage: (page) => pages.push(page) });
    await expect(signingIn).rejects.toMatchObject({
      code: "SIGN_IN_FAILED",
      message: expect.stringMatching(reason),
    });
    expect([pages, fake.paths("POST")]).toEqual([[], ["/mcp"]]);
  });

  test("whose own address is not one of https, unless it is of this machine", () => {
    const check = (authorizationServerUrl: string) => () => checkAuthorizationServer({ authorizationServerUrl });
    for (const url of ["http://idp.example", "http://127.0.0.1.example", "ftp://localhost/"]) {
      expect(check(url)).toThrow("not one of https");
    }
    for (const url of ["https://idp.example", "http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"]) {
      expect(check(url)).not.toThrow();
    }
  });
});

test("a client registers as a native program of this machine, and asks with resource, state and PKCE of S256", async () => {
  const fake = await start();
  const page = await signInAt(fake);
  const bodyOf = (path: string) => fake.asked.find((one) => one.path === path)?.body ?? "";
  const redirectUrl = page.get("redirect_uri") ?? "";
  expect(redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(JSON.parse(bodyOf("/register"))).toMatchObject({
    application_type: "native",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  });
  const token = Object.fromEntries(new URLSearchParams(bodyOf("/token")));
  expect(token).toMatchObject({ code: "the-code", resource: fake.address, redirect_uri: redirectUrl });
  const { state, ...asked } = Object.fromEntries(page);
  expect(state).toMatch(/^[\w-]{43}$/);
  expect(asked).toEqual({
    response_type: "code",
    client_id: "registered",
    code_challenge: createHash("sha256")
      .update(token.code_verifier ?? "")
      .digest("base64url"),
    code_challenge_method: "S256",
    redirect_uri: redirectUrl,
    resource: fake.address,
  });
});

test("a code is not sent on to where a token endpoint of another origin redirects", async () => {
  const other = await start();
  const fake = await start({ tokensAt: `${other.origin}/token` });
  await expect(signInAt(fake, { clientId: "me" })).rejects.toMatchObject({ code: "SIGN_IN_FAILED" });
  expect(other.asked).toEqual([]);
});

test("a client that was registered by hand is not registered again", async () => {
  const fake = await start();
  expect((await signInAt(fake, { clientId: "by-hand" })).get("client_id")).toBe("by-hand");
  expect(fake.paths("POST")).toEqual(["/mcp", "/token"]);
});

test.each<[object, string]>([
  [{ error: "invalid_redirect_uri", error_description: "No loopback address." }, "No loopback address."],
  [{ error: "invalid_client_metadata" }, "invalid_client_metadata"],
])("a registration that is refused says why, and what to do: %j", async (says, reason) => {
  const fake = await start({ registration: [400, says] });
  await expect(signInAt(fake)).rejects.toMatchObject({
    code: "SIGN_IN_FAILED",
    message: expect.stringContaining(
      `the authorization server did not register this client: ${reason}). Register a client by hand and give its id`,
    ),
  });
});

describe("the scopes that are asked for", () => {
  const challenge = () => 'Bearer scope="mcp look"';
  test.each<[string, FakeRules, string | null]>([
    ["those of the refusal", { challenge, resource: { scopes_supported: ["mcp", "pay"] } }, "mcp look"],
    [
      "those that the metadata names, where the refusal names none",
      { resource: { scopes_supported: ["mcp", "pay"] } },
      "mcp pay",
    ],
    ["none, where nothing names any", {}, null],
  ])("are %s", async (_, rules, expected) => {
    expect((await signInAt(await start(rules), { clientId: "me" })).get("scope")).toBe(expected);
  });

  test("are those of the user and one more, where a tool requires more", async () => {
    const fake = await start({ challenge });
    const scopesOf = async (options: Partial<SignInOptions>) =>
      (await signInAt(fake, { clientId: "me", ...options })).get("scope");
    expect(await scopesOf({})).toBe("mcp look");
    expect(await scopesOf({ scope: "pay" })).toBe("mcp look pay");
    expect(await scopesOf({ scope: "pay refund" })).toBe("mcp look pay refund");
    fake.rules.tokens = { access_token: "less", token_type: "Bearer", scope: "mcp" };
    expect(await scopesOf({})).toBe("mcp look");
    expect(await scopesOf({ scope: "pay" })).toBe("mcp pay");
  });
});

describe("the answer of an authorization server", () => {
  const spelled: readonly [string, (issuer: string) => string][] = [
    ["a slash more", (issuer) => `${issuer}/`],
    ["capitals", (issuer) => issuer.toUpperCase()],
    ["the percent-encoding of a letter", (issuer) => issuer.replace("t", "%74")],
  ];
  test.each(spelled)("is not taken from an issuer that is spelled with %s", async (_, spell) => {
    const fake = await start({ issuerPath: "/tenant" });
    const iss = spell(`${fake.origin}/tenant`);
    const refused = await signInAt(fake, { clientId: "me" }, { iss }).catch((error: unknown) => String(error));
    expect(refused).toContain(`the answer came from ${iss}`);
    expect(fake.paths("POST")).toEqual(["/mcp"]);
  });

  test("is not shown where another one sent it", async () => {
    const fake = await start();
    const wrong = { error: "access_denied", error_description: "Call 555", error_uri: "https://evil.example/help" };
    const answer = { iss: "https://evil.example", ...wrong };
    const refused = await signInAt(fake, { clientId: "me" }, answer).catch((error: unknown) => String(error));
    expect(refused).toContain("the answer came from https://evil.example,");
    for (const text of Object.values(wrong)) expect(refused).not.toContain(text);
  });
});

describe("the token of a sign-in", () => {
  const refreshable = { access_token: "first", refresh_token: "again", token_type: "Bearer" };
  const fetchOf = ({ address }: FakeAuthorization) => createAuthorizedFetch({ address, credentials, fetch });

  test("is in the header of each request to its server, and of none to another", async () => {
    const [fake, other] = await Promise.all([start({ valid: "first" }), start()]);
    await signInAt(fake);
    const before = fake.asked.length;
    for (const method of ["POST", "GET", "DELETE"]) await fetchOf(fake)(fake.address, { method });
    const sent = fake.asked.slice(before);
    expect(sent.map(({ method, path, authorization }) => [method, path, authorization])).toEqual(
      ["POST", "GET", "DELETE"].map((method) => [method, "/mcp", "Bearer first"]),
    );
    await fetchOf(other)(other.address);
    expect(other.asked).toMatchObject([{ path: "/mcp", authorization: undefined }]);
  });

  test("is renewed for the same server", async () => {
    const fake = await start({ tokens: refreshable });
    await signInAt(fake);
    Object.assign(fake.rules, { valid: "second", tokens: { access_token: "second", token_type: "Bearer" } });
    expect((await fetchOf(fake)(fake.address)).status).toBe(200);
    const renewal = fake.asked.filter(({ path }) => path === "/token").at(-1)?.body;
    expect(Object.fromEntries(new URLSearchParams(renewal))).toEqual({
      grant_type: "refresh_token",
      refresh_token: "again",
      client_id: "registered",
      resource: fake.address,
    });
  });

  test("is got by another registration where the server names another authorization server", async () => {
    const fake = await start({ tokens: refreshable });
    expect((await signInAt(fake)).get("client_id")).toBe("registered");
    const registration = [201, { client_id: "elsewhere", redirect_uris: [] }] as const;
    Object.assign(fake.rules, { issuerPath: "/other", registration });
    expect((await signInAt(fake)).get("client_id")).toBe("elsewhere");
  });

  test("that has run out is not renewed where none was given to renew it", async () => {
    const fake = await start();
    await signInAt(fake);
    await expect(fetchOf(fake)(fake.address)).rejects.toMatchObject({ kind: "unauthorized" });
    expect(fake.paths("POST").filter((path) => path === "/token")).toHaveLength(1);
  });

  test.each<[string, FakeRules]>([
    ["the server names another authorization server", { issuerPath: "/other" }],
    ["the metadata has become that of another issuer", { metadata: () => ({ issuer: "https://evil.example" }) }],
    [
      "the token endpoint is not one of https any more",
      { metadata: () => ({ token_endpoint: "http://idp.example/token" }) },
    ],
  ])("is not renewed where %s: nothing of the one that gave it is sent", async (_, change) => {
    const fake = await start({ tokens: refreshable });
    await signInAt(fake, { clientId: "by-hand" });
    const before = fake.asked.length;
    Object.assign(fake.rules, change);
    await expect(fetchOf(fake)(fake.address)).rejects.toMatchObject({ kind: "unauthorized" });
    const sent = fake.asked.slice(before);
    expect(sent.filter(({ path }) => path === "/token")).toEqual([]);
    expect(JSON.stringify(sent)).not.toMatch(/again|by-hand/);
  });
});
