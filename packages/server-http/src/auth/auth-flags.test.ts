import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpValues } from "@resumable-mcp/command-line";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publicNames, readAuth } from "./auth-flags.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "auth-flags-"));
  await writeFile(join(folder, "tokens"), "abcdefghijkl0123456789 alice\n", { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true }));

const read = (values: HttpValues, env: NodeJS.ProcessEnv = {}) => readAuth(values, env, () => {});
const issuer = { "authorization-server": ["https://idp.example/"] };
const both = { ...issuer, "public-url": "https://mcp.example/mcp" };

test.each<[HttpValues, string]>([
  [issuer, "--authorization-server needs --public-url"],
  [{ ...both, "public-url": "http://mcp.example" }, "--public-url must begin with https://"],
  [{ ...both, "authorization-server": ["idp"] }, '--authorization-server must be a URL, not "idp"'],
  [{ audience: ["api"] }, "audience (RESUMABLE_MCP_AUDIENCE) is for tokens of an authorization server"],
  [
    { "introspection-url": "https://idp.example/i" },
    "introspectionUrl (RESUMABLE_MCP_INTROSPECTION_URL) is for tokens of an authorization server",
  ],
  [{ "required-scope": ["mcp"] }, "requiredScope (RESUMABLE_MCP_REQUIRED_SCOPE) is for tokens"],
  [
    { ...both, "required-scope": ["mcp pay"] },
    'requiredScope (RESUMABLE_MCP_REQUIRED_SCOPE) wants one scope, without spaces, quotes and backslashes, not "mcp pay"',
  ],
  [{ ...both, "required-scope": ['m"p'] }, "(RESUMABLE_MCP_REQUIRED_SCOPE) wants one scope"],
  [{ ...both, "required-scope": ["offline_access"] }, "(RESUMABLE_MCP_REQUIRED_SCOPE) must not have offline_access"],
  [{ "implied-scopes": ["admin read"] }, "impliedScopes (RESUMABLE_MCP_IMPLIED_SCOPES) is for tokens"],
  [{ ...both, "implied-scopes": ["admin"] }, "impliedScopes wants a scope and those that it includes"],
  [{ ...both, "implied-scopes": ["admin  read"] }, "impliedScopes wants one scope"],
  [{ ...both, "introspection-url": "https://idp.example/i" }, "introspectionUrl wants a client_id and a client_secret"],
  [{ ...both, "introspection-url": "https://i/", "jwks-url": "https://i/" }, "exclude each other"],
  [{ ...both, "authorization-server": ["https://a/", "https://b/"], "jwks-url": "https://i/" }, "for one --auth"],
])("flags that do not belong together are refused: %j", async (values, sentence) => {
  await expect(read(values)).rejects.toThrow(sentence);
});

test("issuers stay as they were given, and tokens of the file are taken in addition to those of the authorization server", async () => {
  const auth = await read({ ...both, "token-file": join(folder, "tokens"), "required-scope": ["mcp"] });
  expect(auth).toMatchObject({
    publicUrl: "https://mcp.example/mcp",
    authorizationServers: ["https://idp.example/"],
    requiredScopes: ["mcp"],
  });
  expect(await auth.verifyToken?.("abcdefghijkl0123456789")).toMatchObject({ extra: { sub: "alice" } });
  expect(await auth.verifyToken?.("no-jwt")).toBeUndefined();
});

test("credentials for introspection come from a file or the environment", async () => {
  const values = { ...both, "introspection-url": "https://idp.example/introspect" };
  const file = join(folder, "credentials");
  await writeFile(file, "mcp secret\n");
  const env = { RESUMABLE_MCP_INTROSPECTION_CREDENTIALS: "mcp secret" };
  expect((await read({ ...values, "introspection-credentials-file": file })).verifyToken).toBeTypeOf("function");
  expect((await read(values, env)).verifyToken).toBeTypeOf("function");
  await expect(read({ ...values, "introspection-credentials-file": join(folder, "none") })).rejects.toThrow(
    "cannot be read",
  );
});

test("a token has the scopes that its own ones include, and those that these include", async () => {
  const file = join(folder, "scopes");
  await writeFile(file, "abcdefghijkl0123456789 alice scope=admin\n", { mode: 0o600 });
  const implied = ["write read list", "admin write", "other more", "read write"];
  const { verifyToken } = await read({ "token-file": file, "implied-scopes": implied });
  expect(await verifyToken?.("abcdefghijkl0123456789")).toMatchObject({ scopes: ["admin", "write", "read", "list"] });
  expect(await verifyToken?.("none")).toBeUndefined();
});

test.each([
  ["https://MCP.example", "https://mcp.example"],
  ["https://mcp.example/", "https://mcp.example"],
  ["HTTPS://mcp.example/Tools/", "https://mcp.example/Tools/"],
])("the public URL %s is known as %s: an origin has no slash at its end", async (given, expected) => {
  expect((await read({ "public-url": given })).publicUrl).toBe(expected);
  expect(publicNames("https://mcp.example")).toEqual(["https://mcp.example", "https://mcp.example/"]);
});

test("without flags no caller needs a token", async () => {
  expect(await read({})).toEqual({
    publicUrl: undefined,
    authorizationServers: undefined,
    requiredScopes: undefined,
    verifyToken: undefined,
    tokenFile: undefined,
  });
});
