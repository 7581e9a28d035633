import { beforeEach, describe, expect, it, vi } from "vitest";
import { readPageConfig } from "./page-config.js";
import { beginSignIn, endSignIn, type TabStorage } from "./sign-in.js";

const page = "https://tasks.example/ui";
const issuer = "https://id.example";
const config = readPageConfig({ mcp: "/mcp", auth: { kind: "oauth", client_id: "panel", scopes: ["tasks"] } }, page);

/** A tab's storage, and what is in it. */
function tab() {
  const held = new Map<string, string>();
  const storage: TabStorage = {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
  };
  return { config, page, storage, held };
}

/** The server and its authorization server, as far as a sign-in needs them; `requests` are those for tokens. */
function network(metadata: object = {}) {
  const requests: URLSearchParams[] = [];
  const documents: Readonly<Record<string, object>> = {
    "https://tasks.example/.well-known/oauth-protected-resource/mcp": {
      resource: "https://tasks.example/mcp",
      authorization_servers: [issuer],
    },
    [`${issuer}/.well-known/oauth-authorization-server`]: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...metadata,
    },
    [`${issuer}/register`]: { client_id: "registered", redirect_uris: [page] },
    [`${issuer}/token`]: { access_token: "token-of-ada", token_type: "Bearer" },
  };
  vi.stubGlobal("fetch", async (url: URL | string, init?: RequestInit) => {
    const address = String(url);
    if (address === `${issuer}/token`) requests.push(new URLSearchParams(String(init?.body)));
    const found = documents[address];
    return found === undefined ? new Response("", { status: 404 }) : Response.json(found);
  });
  return requests;
}

/** A network in which nothing can be registered. */
function withoutRegistration(through: typeof fetch) {
  return async (url: URL | string, init?: RequestInit) =>
    String(url) === `${issuer}/register` ? new Response("", { status: 500 }) : through(url, init);
}

describe("a sign-in by the code flow", () => {
  beforeEach(() => void network());

  it("goes to the authorization server with PKCE, a state of its own, and the resource that the token is for", async () => {
    const address = await beginSignIn(tab(), "#/tasks/a");
    const asked = Object.fromEntries(address.searchParams);
    expect([address.origin + address.pathname, asked]).toEqual([
      `${issuer}/authorize`,
      {
        response_type: "code",
        client_id: "panel",
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
        redirect_uri: page,
        state: expect.stringMatching(/^[\w-]{36}$/),
        scope: "tasks",
        resource: "https://tasks.example/mcp",
      },
    ]);
  });

  it("asks for the operators' scope too, and no longer in this tab once that was refused", async () => {
    const place = { ...tab(), config: { ...config, operatorScope: "ops" } };
    const asked = await beginSignIn(place, "");
    const state = asked.searchParams.get("state") ?? "";
    await endSignIn(place, new URLSearchParams({ error: "invalid_scope", state }));
    const again = await beginSignIn(place, "");
    expect([asked, again].map(({ searchParams }) => searchParams.get("scope"))).toEqual(["tasks ops", "tasks"]);
  });

  it("registers the page once for a tab", async () => {
    const unregistered = { ...tab(), config: { ...config, clientId: undefined } };
    await beginSignIn(unregistered, "");
    network();
    vi.stubGlobal("fetch", withoutRegistration(fetch));
    expect((await beginSignIn(unregistered, "")).searchParams.get("client_id")).toBe("registered");
  });

  it("registers the page where the server gives it no id", async () => {
    const unregistered = { ...tab(), config: { ...config, clientId: undefined } };
    expect((await beginSignIn(unregistered, "")).searchParams.get("client_id")).toBe("registered");
  });

  it("ends with a token, at the place where it began, and leaves no secret behind", async () => {
    const requests = network();
    const place = tab();
    const state = (await beginSignIn(place, "#/tasks/a")).searchParams.get("state") ?? "";
    const ended = await endSignIn(place, new URLSearchParams({ code: "c", state, iss: issuer }));
    expect([ended, place.held.size]).toEqual([{ place: "#/tasks/a", token: "token-of-ada" }, 0]);
    expect(Object.fromEntries(requests[0] ?? [])).toMatchObject({
      grant_type: "authorization_code",
      code: "c",
      code_verifier: expect.stringMatching(/^[\w.~-]{43,128}$/),
      redirect_uri: page,
      resource: "https://tasks.example/mcp",
    });
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["another state", { code: "c", state: "of-an-attacker", iss: issuer }, /belongs to no sign-in/],
    ["the issuer of another authorization server", { code: "c", iss: "https://evil.example" }, /issuer|iss/i],
    ["no issuer, which its server always sends", { code: "c" }, /issuer|iss/i],
    ["an error", { error: "access_denied", error_description: "Ada said no." }, /Ada said no/],
  ])("uses no code of a response with %s", async (_what, response, problem) => {
    const requests = network();
    const place = tab();
    const state = (await beginSignIn(place, "")).searchParams.get("state") ?? "";
    const ended = await endSignIn(place, new URLSearchParams({ state, ...response }));
    expect([ended, requests, place.held.size]).toEqual([{ place: "", problem: expect.stringMatching(problem) }, [], 0]);
  });

  it("uses no code that this tab did not ask for", async () => {
    const requests = network();
    const ended = await endSignIn(tab(), new URLSearchParams({ code: "c", state: "s" }));
    expect([ended, requests]).toEqual([{ place: "", problem: expect.stringContaining("no sign-in of this tab") }, []]);
  });

  it.each([[["plain"]], [undefined]])(
    "refuses an authorization server whose methods of PKCE are %j, before it registers there",
    async (methods) => {
      network({ code_challenge_methods_supported: methods });
      const asked = vi.fn(fetch);
      vi.stubGlobal("fetch", asked);
      const unregistered = { ...tab(), config: { ...config, clientId: undefined } };
      await expect(beginSignIn(unregistered, "")).rejects.toThrow(/does not say that it supports PKCE with S256/);
      expect(asked.mock.calls.map(([url]) => new URL(String(url)).pathname)).not.toContain("/register");
    },
  );

  it("sends no code to an authorization server that says nothing of PKCE any more", async () => {
    const place = tab();
    const state = (await beginSignIn(place, "")).searchParams.get("state") ?? "";
    const requests = network({ code_challenge_methods_supported: undefined });
    const ended = await endSignIn(place, new URLSearchParams({ code: "c", state, iss: issuer }));
    expect([ended, requests]).toEqual([{ place: "", problem: expect.stringContaining("PKCE") }, []]);
  });

  it("has nothing to end where the address says nothing of one", async () => {
    expect(await endSignIn(tab(), new URLSearchParams("q=x"))).toBeUndefined();
  });
});

describe("the configuration of the page", () => {
  it("names an endpoint of the page's own origin alone: its token goes nowhere else", () => {
    expect(() => readPageConfig({ mcp: "https://evil.example/mcp" }, page)).toThrow(/not of this page's origin/);
  });

  it("needs no sign-in where it says nothing of one", () => {
    expect(readPageConfig({ mcp: "/mcp", server: { name: "archive" } }, page)).toEqual({
      endpoint: "https://tasks.example/mcp",
      serverName: "archive",
      auth: "none",
      takesToken: false,
      clientId: undefined,
      operatorScope: undefined,
      scopes: [],
    });
  });
});
