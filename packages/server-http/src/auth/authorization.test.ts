import { HttpAnswer } from "@resumable-mcp/mcp";
import { expect, test } from "vitest";
import { type AuthorizationOptions, createAuthorization } from "./authorization.js";
import { type AuthInfo, AuthorizationServerAway } from "./bearer.js";
import { withImpliedScopes } from "./implied-scopes.js";
import { secureUrl } from "./metadata.js";

const tools = [{ name: "pay", requiredScopes: ["pay", "write"] }, { name: "look" }];
const remote = { local: false, reason: "the server requires tokens" } as const;
const info = (...scopes: string[]): AuthInfo => ({ token: "t", clientId: "app", scopes });

/** Admits tokens that are lists of scopes with commas between them. */
function authorization(options: Partial<AuthorizationOptions> = {}) {
  return createAuthorization({
    verifyToken: (token) => info(...token.split("-")),
    timeoutMs: 10_000,
    tools,
    resource: () => "https://mcp.example/mcp",
    authorizationServers: ["https://idp.example"],
    onFailure: () => {},
    ...options,
  });
}

const asking = (token?: string) => ({ header: () => (token === undefined ? undefined : `Bearer ${token}`) });
const shown = (answer: unknown) =>
  answer instanceof HttpAnswer ? [answer.status, answer.headers["www-authenticate"]] : answer;
const metadataUrl = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';
const call = (name: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });

test("a challenge names the scopes of the server and where its metadata is", async () => {
  const { authenticate } = authorization({ requiredScopes: ["mcp"] });
  expect(shown(await authenticate(asking()))).toEqual([401, `Bearer scope="mcp", ${metadataUrl}`]);
  const description = "The token lacks a scope. Sign in again with: mcp.";
  expect(shown(await authenticate(asking("other")))).toEqual([
    403,
    `Bearer error="insufficient_scope", error_description="${description}", scope="mcp", ${metadataUrl}`,
  ]);
  expect(await authenticate(asking("other-mcp"))).toEqual(info("other", "mcp"));
});

test("a call of a tool needs the tool's scopes, and its challenge names all that it needs (G10)", () => {
  const { checkCall } = authorization({ requiredScopes: ["mcp"] });
  const refused = (body: unknown, ...scopes: string[]) =>
    shown(checkCall(body, { authInfo: info(...scopes), locality: remote }));
  const description = "The token lacks a scope. Sign in again with: mcp pay write.";
  const expected = [
    403,
    `Bearer error="insufficient_scope", error_description="${description}", scope="mcp pay write", ${metadataUrl}`,
  ];
  expect(refused(call("pay"), "mcp", "pay")).toEqual(expected);
  expect(refused([call("look"), call("pay")], "mcp")).toEqual(expected);
  expect(refused(call("pay"), "mcp", "pay", "write")).toBeUndefined();
  for (const body of [call("look"), call("none"), call(7), { method: "tools/list" }, undefined, null, "text"]) {
    expect(refused(body, "mcp")).toBeUndefined();
  }
});

test("the metadata names what is configured, and there is none without an authorization server", async () => {
  expect(authorization({ requiredScopes: ["mcp"] }).metadata()).toEqual({
    resource: "https://mcp.example/mcp",
    authorization_servers: ["https://idp.example"],
    scopes_supported: ["mcp", "pay", "write"],
    bearer_methods_supported: ["header"],
  });
  const alone = authorization({ authorizationServers: [] });
  expect(alone.metadata()).toBeUndefined();
  expect(shown(await alone.authenticate(asking()))).toEqual([401, "Bearer"]);
});

test("no challenge and no metadata names offline_access, which asks for refresh tokens", () => {
  const refusal = "requiredScopes must not have offline_access";
  expect(() => authorization({ requiredScopes: ["mcp", "offline_access"] })).toThrow(refusal);
  expect(() => authorization({ tools: [{ name: "pay", requiredScopes: ["offline_access"] }] })).toThrow(refusal);
});

test("a scope that includes others suffices where they are required", async () => {
  const verifyToken = withImpliedScopes((token) => info(token), { admin: ["write"], write: ["mcp"] });
  const { authenticate } = authorization({ requiredScopes: ["mcp"], verifyToken });
  expect(await authenticate(asking("admin"))).toEqual(info("admin", "write", "mcp"));
  expect(shown(await authenticate(asking("list")))).toMatchObject([403, expect.stringContaining('scope="mcp"')]);
  const none = withImpliedScopes(() => undefined, { admin: ["mcp"] });
  expect(shown(await authorization({ verifyToken: none }).authenticate(asking("admin")))).toMatchObject([
    401,
    expect.any(String),
  ]);
});

test("a token that cannot be checked because the authorization server is away gives 503, and a message for the log", async () => {
  const messages: string[] = [];
  const { authenticate } = authorization({
    verifyToken: () => Promise.reject(new AuthorizationServerAway("https://idp.example could not be asked.")),
    onFailure: (message) => messages.push(message),
  });
  expect(shown(await authenticate(asking("t")))).toEqual([503, undefined]);
  expect(messages).toEqual(["A token could not be checked: https://idp.example could not be asked."]);
});

test("G10 a token that does not say which user it is of gives 401 and a line for the log, whichever function verified it", async () => {
  const messages: string[] = [];
  const { authenticate } = authorization({
    verifyToken: (token) => ({ token, clientId: "web", scopes: [], extra: { sub: 1001 } }),
    onFailure: (message) => messages.push(message),
  });
  expect(shown(await authenticate(asking("t")))).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  expect(messages).toEqual([expect.stringMatching(/^A token was refused: .*sub/)]);
});

test.each(["Bearer", "Bearer ", "Bearer two tokens", "bearer {}"])(
  "a malformed header (%s) gives 400, and another scheme counts as no token",
  async (header) => {
    const { authenticate } = authorization({ authorizationServers: [] });
    const description = "The header Authorization is malformed. Send the word Bearer, one space and the token.";
    const challenge = `Bearer error="invalid_request", error_description="${description}"`;
    expect(shown(await authenticate({ header: () => header }))).toEqual([400, challenge]);
    expect(shown(await authenticate({ header: () => "Basic YTpi" }))).toEqual([401, "Bearer"]);
  },
);

test("a token whose check does not end gives 503, when to come back, and a message for the log", async () => {
  const messages: string[] = [];
  const { authenticate } = authorization({
    verifyToken: () => new Promise(() => {}),
    timeoutMs: 1,
    onFailure: (message) => messages.push(message),
  });
  const answer = await authenticate(asking("t"));
  const facts = answer instanceof HttpAnswer && [answer.status, answer.headers["retry-after"]];
  expect(facts).toEqual([503, "5"]);
  expect(messages).toEqual(["A token could not be checked: verifyToken has not answered within 1 ms."]);
});

test("a right token counts whose check was ready while the process stood still", async () => {
  const timeoutMs = 100;
  const standStill = () => {
    const endMs = performance.now() + 2 * timeoutMs;
    while (performance.now() < endMs);
  };
  const { authenticate } = authorization({
    timeoutMs,
    async verifyToken() {
      setImmediate(standStill);
      // As an answer that lies in a socket: it is read in a few turns of the event loop.
      for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
      return info("mcp");
    },
  });
  expect(await authenticate(asking("t"))).toEqual(info("mcp"));
});

test("addresses that tokens are bound to are those of https, or of this machine", () => {
  for (const url of ["https://mcp.example/mcp", "http://127.0.0.1:8001/mcp", "http://localhost/mcp"]) {
    expect(secureUrl("--public-url", url).href).toBe(url);
  }
  const refused = [
    "http://mcp.example/mcp",
    "mcp.example",
    "ftp://127.0.0.1/",
    "https://u:p@mcp.example/",
    "https://a/#b",
  ];
  for (const url of [...refused, "https://a/?b"])
    expect(() => secureUrl("--public-url", url)).toThrow("--public-url must");
  for (const url of ["http://u:hunter2@a/", "https://u:hunter2@a:b/"])
    expect(() => secureUrl("--public-url", url)).toThrow(/^--public-url must (?!.*hunter2)/);
  expect(secureUrl("--jwks-url", "https://a/?b", true).search).toBe("?b");
});
