import { once } from "node:events";
import { connect } from "node:net";
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import type { AuthInfo } from "../src/auth/bearer.js";
import { type RunningServer, type ServeOptions, serve } from "../src/index.js";

const closing: RunningServer[] = [];
afterEach(async () => {
  for (const server of closing.splice(0)) await server.close();
});

const facts = { description: "Gives 1.", input: z.object({}), run: async () => 1 };
const tools = [defineTool({ ...facts, name: "look" }), defineTool({ ...facts, name: "pay", requiredScopes: ["pay"] })];
const publicUrl = "https://mcp.example/tools/mcp";
const wellKnown = "/.well-known/oauth-protected-resource";

/** Tokens are lists of scopes with dashes between them; all are Ada's. */
function verifyToken(token: string): AuthInfo {
  return { token, clientId: "app", scopes: token.split("-"), extra: { sub: "ada", iss: "https://idp.example" } };
}

async function open(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const server = await serve({
    definition: defineServer({ name: "scopes", version: "1", tools }),
    store: createMemoryStore(),
    port: 0,
    verifyToken,
    authorizationServers: ["https://idp.example"],
    publicUrl,
    requiredScopes: ["mcp"],
    limits: { drainTimeoutMs: 20 },
    ...options,
  });
  closing.push(server);
  return server;
}

type Json = Record<string, unknown>;

/** The ids of the requests that a server sends on a stream, up to the first. */
async function firstQuestion(stream: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const asked = /^data: (.*"method":"elicitation\/create".*)$/m.exec(text)?.[1];
    if (asked !== undefined) return JSON.parse(asked).id;
  }
  throw new Error(`Nothing was asked: ${text}`);
}

async function post(url: string, token: string, message: Json, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function call2025(url: string) {
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const opened = await post(url, "mcp", { method: "initialize", params });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  return (token: string, name: string, args: Json = {}) =>
    post(url, token, { method: "tools/call", params: { name, arguments: args } }, session);
}

function call2026(url: string) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return (token: string, name: string, args: Json = {}) => {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
    return post(url, token, { method: "tools/call", params: { name, arguments: args, _meta } }, headers);
  };
}

const challenge = [
  'Bearer error="insufficient_scope"',
  'error_description="The token lacks a scope. Sign in again with: mcp pay."',
  'scope="mcp pay"',
  'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/tools/mcp"',
].join(", ");

test.each([
  ["2025", call2025],
  ["2026", call2026],
])(
  "era %s: the call of a tool wants the tool's scopes, and its tasks are out of reach without them",
  async (_, eraOf) => {
    const { url } = await open();
    const call = await eraOf(url);
    const refused = await call("mcp", "pay");
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([403, challenge]);
    expect((await call("mcp", "look")).status).toBe(200);
    const paid = await call("mcp-pay", "pay");
    const taskId = /"resumable-mcp\/task_id":"([^"]+)"/.exec(paid.text)?.[1] ?? "";
    expect([paid.status, taskId]).toEqual([200, expect.stringMatching(/^[\w-]{16,}$/)]);
    expect((await call("mcp", "get_task", { task_id: taskId })).text).toContain("INSUFFICIENT_SCOPE");
    expect((await call("mcp-pay", "get_task", { task_id: taskId })).text).toContain("completed");
  },
);

test("every request wants a token: knowing a session is not enough (G10)", async () => {
  const { url } = await open();
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const opened = await post(url, "mcp", { method: "initialize", params });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  expect(session["mcp-session-id"]).toMatch(/^[A-Za-z0-9]{32}$/);
  const headers = { ...session, accept: "application/json, text/event-stream", "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
  for (const [method, init] of Object.entries({ POST: { body }, GET: {}, DELETE: {} })) {
    const answer = await fetch(url, { method, headers, ...init });
    expect([method, answer.status, answer.headers.get("www-authenticate")]).toEqual([
      method,
      401,
      `Bearer scope="mcp", resource_metadata="https://mcp.example${wellKnown}/tools/mcp"`,
    ]);
    await answer.body?.cancel();
  }
  expect((await post(url, "mcp", { method: "ping" }, session)).status).toBe(200);
});

/** The answer to a GET whose target and Host are written as given. */
async function get(url: string, target: string, host = new URL(url).host): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.end(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

test("metadata and challenges are those of the configuration, whatever a request says of its host (F8)", async () => {
  const { url } = await open();
  const document = {
    resource: publicUrl,
    authorization_servers: ["https://idp.example"],
    scopes_supported: ["mcp", "pay"],
    bearer_methods_supported: ["header"],
  };
  for (const path of ["", "/mcp", "/tools/mcp"]) {
    for (const host of [undefined, "mcp.example", "localhost:1"]) {
      const answer = await get(url, `${wellKnown}${path}`, host);
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual(document);
      expect(answer).toContain("cache-control: public, max-age=3600");
    }
  }
  const targets = [`http://evil.example${wellKnown}/mcp`, `//evil.example${wellKnown}`, "//evil.example/mcp", "/mcp"];
  const answers = await Promise.all(targets.map((target) => get(url, target)));
  expect(answers.map((answer) => answer.split(" ")[1])).toEqual(["400", "400", "400", "401"]);
  answers.push(await get(url, wellKnown, "evil.example"));
  expect(answers.join()).not.toContain("evil.example");
  expect(answers[3]).toContain(`resource_metadata="https://mcp.example${wellKnown}/tools/mcp"`);
});

test("on a loopback address the metadata names the address that the server listens on", async () => {
  const { url } = await open({ publicUrl: undefined });
  const answer = await fetch(new URL(`${wellKnown}/mcp`, url.replace("127.0.0.1", "localhost")));
  expect(await answer.json()).toMatchObject({ resource: url });
});

test("a server that others reach is not started without the URL for which its tokens are issued", async () => {
  await expect(open({ publicUrl: undefined, host: "0.0.0.0" })).rejects.toThrow("needs its publicUrl");
  await expect(open({ publicUrl: "http://mcp.example/mcp" })).rejects.toThrow("publicUrl must begin with https://");
});

test("a flood of tokens that cannot be checked does not fill the log (F15)", async () => {
  const lines: string[] = [];
  const verify = () => Promise.reject(new Error("away"));
  const limits = { drainTimeoutMs: 20, refusalsLoggedPerSecond: 0 };
  const { url } = await open({ verifyToken: verify, limits, log: (_level, message) => lines.push(message) });
  for (let times = 0; times < 3; times++) expect((await post(url, "mcp", { method: "ping" })).status).toBe(500);
  expect(lines).toEqual([]);
});

test("a flood of messages that are refused as malformed does not fill the log (G11)", async () => {
  const lines: string[] = [];
  const limits = { drainTimeoutMs: 20, refusalsLoggedPerSecond: 0 };
  const { url } = await open({ limits, log: (level, message) => lines.push(`${level} ${message}`) });
  const meta = (capabilities: unknown) => ({
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  });
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
  const malformed = [
    post(url, "mcp", { method: "ping", params: { _meta: meta({}) } }, headers),
    post(url, "mcp", { method: "tools/list", params: { _meta: meta("none") } }, headers),
  ];
  expect((await Promise.all(malformed)).map(({ status }) => status)).toEqual([400, 400]);
  expect(lines).toEqual([]);
});

test("addresses of authorization servers are those of https, or of this machine", async () => {
  await expect(open({ authorizationServers: ["http://idp.example"] })).rejects.toThrow(
    "authorizationServers must begin with https://",
  );
});

test("a token without a tool's scope answers none of its questions and cancels none of its calls (G10)", async () => {
  const ask = defineTool({
    ...facts,
    name: "ask",
    requiredScopes: ["pay"],
    async run(_input, task) {
      return (await task.ask("sure", { message: "Sure?", schema: z.object({}) })).action;
    },
  });
  const { url, engine } = await open({ definition: defineServer({ name: "asking", version: "1", tools: [ask] }) });
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
  const opened = await post(url, "mcp", { method: "initialize", params });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const send = (token: string, message: Json) => {
    const accept = "application/json, text/event-stream";
    const headers = { authorization: `Bearer ${token}`, accept, "content-type": "application/json", ...session };
    return fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  };
  const call = { id: 2, method: "tools/call", params: { name: "ask", arguments: {} } };
  const id = await firstQuestion(await send("mcp-pay", call));
  const answer = { id, result: { action: "accept", content: {} } };
  const cancel = { method: "notifications/cancelled", params: { requestId: 2 } };
  expect([(await send("mcp", answer)).status, (await send("mcp", cancel)).status]).toEqual([403, 403]);
  const tasks = engine.forOwner("sub:https://idp.example ada");
  const [task] = (await tasks.list()).tasks;
  expect((await tasks.get(task?.id ?? "")).status).toBe("input_required");
  expect((await send("mcp-pay", answer)).status).toBe(202);
  expect((await tasks.wait(task?.id ?? "")).status).toBe("completed");
});
