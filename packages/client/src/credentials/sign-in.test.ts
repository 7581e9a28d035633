import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openCredentialsFile } from "./credentials-file.js";
import { signIn } from "./sign-in.js";

/** A server that is its own authorization server, and names any page to sign in on. `facts` change its metadata. */
async function startServer(page: string, facts: object = {}) {
  const codes: (string | null)[] = [];
  const http = createServer((request, response) => {
    const { origin } = new URL(`http://${request.headers.host}`);
    const isMetadata = request.url?.startsWith("/.well-known/oauth-authorization-server") === true;
    const metadata = {
      issuer: origin,
      authorization_endpoint: page,
      token_endpoint: `${origin}/token`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...facts,
    };
    if (request.url === "/token") {
      request.setEncoding("utf8").on("data", (body) => codes.push(new URLSearchParams(body).get("code")));
      request.on("end", () => response.end(JSON.stringify({ access_token: "t", token_type: "Bearer" })));
      response.writeHead(200, { "content-type": "application/json" });
      return;
    }
    response.writeHead(isMetadata ? 200 : request.method === "POST" ? 401 : 404, {
      "content-type": "application/json",
    });
    response.end(isMetadata ? JSON.stringify(metadata) : "{}");
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { http, codes, address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

const limits = { requestTimeoutMs: 60_000, signInTimeoutMs: 60_000 };

/** Signs in at a server whose authorization server answers with more `parameters`. */
async function signInWith(facts: object, parameters: (issuer: string) => Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  const { http, address, codes } = await startServer("https://idp.example/authorize", facts);
  const credentials = await openCredentialsFile(join(folder, "client.credentials.json"));
  const onPage = (page: string, receive: (redirected: string) => boolean) => {
    const asked = new URL(page).searchParams;
    const answer = new URLSearchParams({
      state: asked.get("state") ?? "",
      code: "the-code",
      ...parameters(new URL(address).origin),
    });
    receive(`${asked.get("redirect_uri")}?${answer}`);
  };
  try {
    await signIn({ address, credentials, limits }, { clientId: "me", onPage });
    return codes;
  } catch (error) {
    // A code must not have reached any token endpoint.
    return { codes, error };
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await rm(folder, { recursive: true });
  }
}

const promised = { authorization_response_iss_parameter_supported: true };

it("takes the answer of the authorization server that was asked (RFC 9207)", async () => {
  expect(await signInWith(promised, (iss) => ({ iss }))).toEqual(["the-code"]);
  expect(await signInWith({}, (iss) => ({ iss }))).toEqual(["the-code"]);
  expect(await signInWith({}, () => ({}))).toEqual(["the-code"]);
});

it.each<[string, object, Record<string, string>]>([
  ["of another issuer", promised, { iss: "https://evil.example" }],
  ["of another issuer, from a server that promises none", {}, { iss: "https://evil.example" }],
  ["without an issuer, from a server that promises one", promised, {}],
  ["that is an error of another issuer", promised, { iss: "https://evil.example", error: "access_denied" }],
])("sends no code of an answer %s (RFC 9207)", async (_, facts, parameters) => {
  const message = expect.stringMatching(/the answer (came from https:\/\/evil\.example|does not say which)/);
  const error = expect.objectContaining({ code: "SIGN_IN_FAILED", message });
  expect(await signInWith(facts, () => parameters)).toEqual({ codes: [], error });
});

it.each<[string, object, string]>([
  ["says nothing of PKCE", { code_challenge_methods_supported: undefined }, "does not say that it supports PKCE"],
  ["supports plain PKCE only", { code_challenge_methods_supported: ["plain"] }, "does not say that it supports PKCE"],
  ["names another issuer", { issuer: "https://other.example" }, "is that of another one"],
])("refuses an authorization server that %s", async (_, facts, reason) => {
  const error = expect.objectContaining({ code: "SIGN_IN_FAILED", message: expect.stringContaining(reason) });
  expect(await signInWith(facts, () => ({}))).toEqual({ codes: [], error });
});

it("asks for the scopes that are given, and for nothing else", async () => {
  const { http, address } = await startServer("https://idp.example/authorize");
  const folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  const credentials = await openCredentialsFile(join(folder, "client.credentials.json"));
  const asked: (string | null)[] = [];
  const onPage = (page: string, receive: (redirected: string) => boolean) => {
    const { searchParams } = new URL(page);
    asked.push(searchParams.get("scope"));
    receive(`${searchParams.get("redirect_uri")}?state=${searchParams.get("state")}&code=c`);
  };
  await signIn({ address, credentials, limits }, { clientId: "me", scope: "mcp pay", onPage });
  expect(asked).toEqual(["mcp pay"]);
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
  await rm(folder, { recursive: true });
});

it("says that the user refused", async () => {
  const { http, address } = await startServer("https://idp.example/authorize");
  const folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  const credentials = await openCredentialsFile(join(folder, "client.credentials.json"));
  const onPage = (page: string, receive: (redirected: string) => boolean) => {
    const asked = new URL(page).searchParams;
    receive(`${asked.get("redirect_uri")}?state=${asked.get("state")}&error=access_denied`);
  };
  const signingIn = signIn({ address, credentials, limits }, { clientId: "me", onPage });
  await expect(signingIn).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
  await rm(folder, { recursive: true });
});

it.each(["file:///etc/passwd", "ssh://example.com/", "ms-settings:privacy"])(
  "does not open %s, which a server names as its page to sign in on",
  async (page) => {
    const folder = await mkdtemp(join(tmpdir(), "sign-in-"));
    const { http, address } = await startServer(page);
    const credentials = await openCredentialsFile(join(folder, "client.credentials.json"));
    const shown: string[] = [];
    const signingIn = signIn({ address, credentials, limits }, { clientId: "me", onPage: (url) => shown.push(url) });
    await expect(signingIn).rejects.toMatchObject({
      code: "SIGN_IN_FAILED",
      message: expect.stringContaining(`a sign-in page of ${new URL(page).protocol}`),
    });
    expect(shown).toEqual([]);
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await rm(folder, { recursive: true });
  },
);
