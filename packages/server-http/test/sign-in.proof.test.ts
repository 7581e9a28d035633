import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { generate } from "selfsigned";
import { afterAll, beforeAll, expect, test } from "vitest";
import { afterwards, startServer, testFolder, toolsModule } from "./server-process.js";

const run = promisify(execFile);
const authorizationServer = fileURLToPath(new URL("./authorization-server.js", import.meta.url));
const payingTools = fileURLToPath(new URL("./paying-tools-module.js", import.meta.url));
const signingInClient = fileURLToPath(new URL("./signing-in-client.js", import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  await Promise.all([writeFile(join(folder, "key.pem"), key), writeFile(join(folder, "cert.pem"), cert)]);
});
afterAll(() => rm(folder, { recursive: true }));

/** A real authorization server, which knows one user. */
async function startAuthorizationServer(...flags: string[]): Promise<string> {
  const child = spawn(process.execPath, [authorizationServer, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  afterwards(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("http://")) return line;
  }
  throw new Error("The authorization server ended.");
}

/** What stands before a server on the internet: it ends TLS and passes requests on. Serves no one before it has a port. */
async function startTlsProxy(): Promise<{ readonly url: string; to(port: number): void }> {
  let target = 0;
  const [key, cert] = await Promise.all(["key.pem", "cert.pem"].map((name) => readFile(join(folder, name))));
  const proxy: Server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const passed = request({ host: "127.0.0.1", port: target, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  afterwards(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/mcp`,
    to: (to) => {
      target = to;
    },
  };
}

interface GuardedServer {
  readonly publicUrl: string;
  /** Its address on this machine, without TLS. */
  readonly url: string;
}

/** A server behind TLS whose users sign in. */
async function startGuardedServer(
  issuer: string,
  tools: string,
  variables: Record<string, string> = {},
): Promise<GuardedServer> {
  const proxy = await startTlsProxy();
  const common = ["--public-url", proxy.url, "--authorization-server", issuer];
  const args = [tools, "--port", "0", "--store", await testFolder(), ...common];
  const server = await startServer(args, {
    RESUMABLE_MCP_REQUIRED_SCOPE: "mcp",
    RESUMABLE_MCP_INTROSPECTION_CREDENTIALS: "mcp-server its-secret",
    ...variables,
  });
  proxy.to(server.port);
  return { publicUrl: proxy.url, url: server.url };
}

interface Called {
  readonly tokens: readonly string[];
  readonly result: unknown;
}

async function signInAndCall({ publicUrl }: GuardedServer, ...args: string[]): Promise<Called> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") };
  const { stdout } = await run(process.execPath, [signingInClient, publicUrl, ...args], { env });
  return JSON.parse(stdout);
}

/** How a server answers a caller with this token. */
async function answerTo(token: string, url: string): Promise<readonly [number, string | null]> {
  const { status, headers } = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  return [status, headers.get("www-authenticate")];
}

const counted = { counted: 2 };

test("a stock client signs in through a proxy that ends TLS, with JWTs for this server alone", async () => {
  const issuer = await startAuthorizationServer();
  const server = await startGuardedServer(issuer, toolsModule);
  const { tokens, result } = await signInAndCall(server, "count_to");
  expect([tokens.length, result]).toEqual([1, counted]);
  const [token = ""] = tokens;
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: "ES256", typ: "at+jwt" });
  expect(decodeJwt(token)).toMatchObject({ iss: issuer, sub: "ada", aud: server.publicUrl, scope: "mcp" });
  const other = await startServer([
    ...[toolsModule, "--port", "0", "--store", await testFolder()],
    ...["--public-url", "https://other.example/mcp", "--authorization-server", issuer],
  ]);
  expect(await answerTo(token, other.url)).toEqual([
    401,
    expect.stringMatching(/^Bearer error="invalid_token", .*resource_metadata="https:\/\/other\.example\//),
  ]);
});

test("a stock client signs in with opaque tokens, about which the server asks", async () => {
  const issuer = await startAuthorizationServer("--format", "opaque");
  const server = await startGuardedServer(issuer, toolsModule, {
    RESUMABLE_MCP_INTROSPECTION_URL: `${issuer}/token/introspection`,
  });
  const { tokens, result } = await signInAndCall(server, "count_to");
  expect([tokens.map((token) => token.split(".").length), result]).toEqual([[1], counted]);
});

test("a stock client signs in again with the scopes that a tool requires, in the same session", async () => {
  const issuer = await startAuthorizationServer();
  const server = await startGuardedServer(issuer, payingTools);
  const { tokens, result } = await signInAndCall(server, "pay", "by-hand");
  expect([tokens.map((token) => decodeJwt(token).scope), result]).toEqual([["mcp", "mcp pay"], { paid: 2 }]);
});

test("a stock client signs in at a provider as the hosted ones are: registered by hand, with tokens for a named API", async () => {
  const api = "api://tools";
  const issuer = await startAuthorizationServer("--audience", api);
  const server = await startGuardedServer(issuer, toolsModule, { RESUMABLE_MCP_AUDIENCE: api });
  const { tokens, result } = await signInAndCall(server, "count_to", "by-hand");
  expect([tokens.length, result]).toEqual([1, counted]);
  const [token = ""] = tokens;
  expect([decodeProtectedHeader(token).typ, decodeJwt(token)]).toMatchObject([
    "JWT",
    { iss: issuer, sub: "ada", aud: api, scp: ["mcp"], azp: "by-hand" },
  ]);
  const unnamed = await startServer([
    ...[toolsModule, "--port", "0", "--store", await testFolder()],
    ...["--public-url", "https://other.example/mcp", "--authorization-server", issuer],
  ]);
  expect(await answerTo(token, unnamed.url)).toMatchObject([401, expect.stringContaining("invalid_token")]);
});

test("a stock client signs in where users come from a social provider, whose own tokens are refused", async () => {
  const social = await startAuthorizationServer("--host", "localhost");
  const issuer = await startAuthorizationServer("--upstream", social);
  const server = await startGuardedServer(issuer, toolsModule);
  const { tokens, result } = await signInAndCall(server, "count_to");
  expect([tokens.map((token) => decodeJwt(token)), result]).toMatchObject([
    [{ iss: issuer, sub: "social|ada", aud: server.publicUrl }],
    counted,
  ]);
  const elsewhere = await signInAndCall(await startGuardedServer(social, toolsModule), "count_to");
  expect(decodeJwt(elsewhere.tokens[0] ?? "")).toMatchObject({ iss: social, sub: "ada" });
  expect(await answerTo(elsewhere.tokens[0] ?? "", server.url)).toMatchObject([
    401,
    expect.stringContaining("invalid_token"),
  ]);
});
