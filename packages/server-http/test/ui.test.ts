import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { createMemoryStore } from "@resumable-mcp/core";
import { afterEach, expect, test } from "vitest";
import { type RunningServer, type ServeOptions, serve } from "../src/index.js";
import { startProgram, testFolder, toolsModule } from "./server-process.js";
import { definition } from "./two-owners/foreign-target.js";

const script = 'const trick = "<style>x</style><\\/script>"; console.log(trick);';
const style = "body { color: red }";
const page = `<!doctype html><html><head><title>panel</title><script type="module">${script}</script><style>${style}</style></head><body></body></html>`;
const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const all = { definition: { ...definition, panel: page }, store: createMemoryStore(), port: 0, ui: {} };
  const server = await serve({ ...all, limits: { drainTimeoutMs: 20 }, ...options });
  closing.push(() => server.close());
  return server;
}
const get = (server: RunningServer, path: string, init: RequestInit = {}) =>
  fetch(new URL(path, server.url), { redirect: "manual", ...init });

/** Tokens of the form `<subject>` or `<subject>+<scope>`. */
const verifyToken: NonNullable<ServeOptions["verifyToken"]> = (token) => {
  const [sub = "", ...scopes] = token.split("+");
  return sub.startsWith("no") ? undefined : { token, clientId: "app", scopes, extra: { sub } };
};
const authorizationServers = ["https://id.example/realm"];

const mime = "text/html;profile=mcp-app";
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const call = (name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name,
    arguments: args,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {
        extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [mime] } },
      },
    },
  },
});
interface Reply {
  readonly result: {
    readonly structuredContent: { readonly error?: { readonly code: string } };
    readonly _meta: Record<string, string>;
  };
}

/** One call as the page makes it. */
async function callTool(server: RunningServer, name: string, args: object, headers: Record<string, string> = {}) {
  const mcp = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
  const body = JSON.stringify(call(name, args));
  const response = await fetch(server.url, { method: "POST", headers: { ...json, ...mcp, ...headers }, body });
  return { status: response.status, body: (await response.json()) as Reply };
}

test("/ui is not there unless it was asked for", async () => {
  const server = await open({ ui: undefined });
  for (const path of ["/ui", "/ui/", "/ui/config.json"]) expect((await get(server, path)).status).toBe(404);
});

test("the page at /ui runs its own script alone, reaches its server alone, and is held in no frame", async () => {
  const server = await open();
  const response = await get(server, "/ui?code=1");
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(response.headers.get("content-security-policy")).toBe(
    `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  );
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
  });
  expect(response.headers.get("set-cookie")).toBeNull();
  const marked = page.replace("<head>", '<head><meta name="resumable-mcp-config" content="ui/config.json">');
  expect(await response.text()).toBe(marked);
  const etag = response.headers.get("etag") ?? "";
  expect((await get(server, "/ui", { headers: { "if-none-match": etag } })).status).toBe(304);
});

test("the page is sent bit by bit, and packed where the browser takes that", async () => {
  const large = page.replace("</body>", `${"<p>A line of text.</p>".repeat(50_000)}</body>`);
  const server = await open({ definition: { ...definition, panel: large } });
  const plain = await get(server, "/ui", { headers: { "accept-encoding": "identity" } });
  const packed = await get(server, "/ui");
  expect([plain, packed].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip"]);
  expect(Number(packed.headers.get("content-length"))).toBeLessThan(large.length / 10);
  const texts = await Promise.all([plain.text(), packed.text()]);
  expect(texts.map((text) => text === texts[0] && text.length > large.length)).toEqual([true, true]);
});

test("a page that cannot be loaded is away, the log says why, and the next request tries again", async () => {
  const lines: string[] = [];
  let attempts = 0;
  const panel = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error("/secret/path is not there");
    return page;
  };
  const server = await open({ definition: { ...definition, panel }, log: (_level, line) => lines.push(line) });
  const failed = await get(server, "/ui");
  expect([failed.status, await failed.text()]).toEqual([
    503,
    "The panel could not be loaded. The server's log says why.\n",
  ]);
  expect(lines).toContain("The panel could not be loaded: /secret/path is not there");
  expect((await get(server, "/ui")).status).toBe(200);
});

test("below /ui there is what the page has to know, and nothing else", async () => {
  const server = await open();
  const redirect = await get(server, "/ui/");
  expect([redirect.status, redirect.headers.get("location")]).toEqual([308, "../ui"]);
  for (const path of ["/ui/x", "/uix", "/ui/config.json/", "/UI", "/ui//config.json"]) {
    expect([path, (await get(server, path)).status]).toEqual([path, 404]);
  }
  expect((await get(server, "/ui", { method: "POST", body: "x=1" })).status).toBe(405);
  expect((await get(server, "/ui", { method: "HEAD" })).status).toBe(200);
});

test("the page learns where the endpoint is, and that this machine's user needs no token", async () => {
  const server = await open({ path: "/tools/mcp" });
  const config = await get(server, "/ui/config.json");
  expect(config.headers.get("cache-control")).toBe("no-store");
  const { name, version } = definition;
  expect(await config.json()).toEqual({ mcp: "/tools/mcp", server: { name, version }, auth: { kind: "none" } });
  const { body } = await callTool(server, "list_session_tasks", {});
  expect(body).toMatchObject({ result: { structuredContent: { total_tasks: 0 } } });
});

test("the page learns how its user gets a token: by hand, or at the authorization server that it may reach", async () => {
  const byHand = await open({ verifyToken });
  expect(await (await get(byHand, "/ui/config.json")).json()).toMatchObject({ auth: { kind: "token" } });
  const publicUrl = "https://tools.example/base/mcp";
  const ui = { clientId: "panel" };
  const options = {
    verifyToken,
    authorizationServers,
    publicUrl,
    requiredScopes: ["mcp"],
    ui,
    operatorScope: "operate",
  };
  const server = await open(options);
  const headers = { host: "tools.example" };
  expect((await get(server, "/ui")).headers.get("content-security-policy")).toContain(
    "connect-src 'self' https://id.example;",
  );
  const auth = {
    kind: "oauth",
    token: true,
    client_id: "panel",
    authorization_servers: authorizationServers,
    resource: publicUrl,
    resource_metadata: "https://tools.example/.well-known/oauth-protected-resource/base/mcp",
    scopes: ["mcp"],
    operator_scope: "operate",
  };
  expect(await (await get(server, "/ui/config.json")).json()).toMatchObject({ mcp: "/mcp", auth });
  expect(await bodyOf(server, "/ui/config.json", headers)).toMatchObject({ mcp: "/base/mcp", auth });
});

/** With a Host that `fetch` does not let a program name. */
async function send(server: RunningServer, path: string, headers: Record<string, string>, method = "GET", body = "") {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = httpRequest(new URL(path, server.url), { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject).end(body);
  });
}
const bodyOf = async (server: RunningServer, path: string, headers: Record<string, string>) =>
  JSON.parse((await send(server, path, headers)).text);

test("the program says where its panel is, and the panel is one document with one script and one style", async () => {
  const { said } = startProgram([toolsModule, "--port", "0", "--store", await testFolder(), "--ui"]);
  const response = await fetch(await said(/^panel: (\S+)$/));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-security-policy")).toMatch(
    /; script-src 'sha256-\S{44}'; style-src 'sha256-\S{44}'; /,
  );
  const html = await response.text();
  expect(html).toMatch(/^<!doctype html>/);
  // Nothing from elsewhere, and nothing that the policy would stop.
  expect(html.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/g, "")).not.toMatch(/https?:|\b(?:src|style|on[a-z]+)=/);
});

test("strangers find no page without authentication: the server does not start", async () => {
  const refused = (options: Partial<ServeOptions>) => expect(open(options)).rejects;
  const advice = /--ui is for the user of this machine alone\. Give --token-file or --authorization-server/;
  await refused({ host: "0.0.0.0", insecure: true }).toThrow(advice);
  await refused({ trustedProxies: ["10.0.0.1"] }).toThrow(advice);
  await refused({ path: "/ui", verifyToken }).toThrow(/With --ui the page is at \/ui\. Choose another --path\./);
  await refused({ allowedHosts: ["tools.example"] }).toThrow(advice);
  await refused({ publicUrl: "https://tools.example/mcp" }).toThrow(advice);
  await refused({ ownerMode: "session" }).toThrow(/--owner session/);
  await refused({ definition: { ...definition, panel: false } }).toThrow(/leave out panel: false/);
  await refused({ definition: { ...definition, panel: page, controlTools: "none" } }).toThrow(/--control-tools none/);
  await open({ host: "0.0.0.0", verifyToken });
});

test("a foreign page neither reads the panel's answers nor acts through it, also with the user's browser", async () => {
  const server = await open();
  const foreign = { origin: "https://evil.example" };
  const { port } = new URL(server.url);
  const rebound = { host: `evil.example:${port}` };
  for (const path of ["/ui", "/ui/config.json"]) {
    expect([(await send(server, path, foreign)).status, (await send(server, path, rebound)).status]).toEqual([
      403, 403,
    ]);
  }
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const text = { "content-type": "text/plain" };
  const body = JSON.stringify(call("list_session_tasks"));
  expect((await send(server, "/mcp", { ...form, ...foreign }, "POST", body)).status).toBe(403);
  // Some programs leave the origin out: no form can send JSON.
  for (const type of [form, text]) expect((await send(server, "/mcp", type, "POST", body)).status).toBe(415);
  const withTokens = await open({ verifyToken });
  expect((await send(withTokens, "/mcp", form, "POST", body)).status).toBe(401);
  const cookie = { ...json, cookie: "token=ada; authorization=Bearer ada" };
  expect((await send(withTokens, "/mcp", cookie, "POST", body)).status).toBe(401);
});

test("the page is within the rates of its caller, and each request for it is in the audit log", async () => {
  const lines: { http: string; status: number; who: string }[] = [];
  const audit = {
    noteBody() {},
    noteAnswer: ({ method }: { method: string }, _caller: object, { status }: { status: number }) =>
      void lines.push({ http: method, status, who: "" }),
  };
  const trustedProxies = ["127.0.0.1"];
  const limits = { drainTimeoutMs: 20, requestsPerSecond: 0.001, requestBurst: 2 };
  const server = await open({ verifyToken, trustedProxies, limits, audit });
  const from = { "x-forwarded-for": "192.0.2.7" };
  const statuses = [];
  for (let times = 0; times < 3; times++) statuses.push((await send(server, "/ui", from)).status);
  statuses.push((await send(server, "/ui", { "x-forwarded-for": "192.0.2.8" })).status);
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect(lines.map(({ status }) => status)).toEqual(statuses);
});

test("who has a token sees their own tasks alone, and the servers only with the operator's scope", async () => {
  const server = await open({ verifyToken, operatorScope: "operate" });
  const ada = { authorization: "Bearer ada" };
  const gated = { label: "x", hold: false };
  const { body } = await callTool(server, "gated", gated, ada);
  const task_id = body.result._meta["resumable-mcp/task_id"] ?? "";
  expect(
    (await callTool(server, "find_task", { tool: "gated", arguments: gated }, ada)).body.result.structuredContent,
  ).toMatchObject({ task_id });
  const eve = { authorization: "Bearer eve" };
  const asEve = async (name: string, args: object) => (await callTool(server, name, args, eve)).body.result;
  expect((await asEve("find_task", { tool: "gated", arguments: gated })).structuredContent).toEqual({ task_id: null });
  const unknown = "0".repeat(32);
  for (const [name, more] of [
    ["get_task_journal", {}],
    ["restart_task", {}],
    ["answer_question", { key: "name", action: "decline" }],
  ] as const) {
    const foreign = await asEve(name, { task_id, ...more });
    expect(foreign.structuredContent.error?.code).toBe("TASK_NOT_FOUND");
    expect(JSON.parse(JSON.stringify(foreign).replaceAll(task_id, unknown))).toEqual(
      await asEve(name, { task_id: unknown, ...more }),
    );
  }
  expect((await asEve("get_server_info", {})).structuredContent.error?.code).toBe("FORBIDDEN");
  const operator = { authorization: "Bearer eve+operate" };
  const info = (await callTool(server, "get_server_info", {}, operator)).body.result;
  expect(info.structuredContent).toMatchObject({ server: { name: definition.name }, processes: 1 });
  expect(JSON.stringify(info)).not.toContain(task_id);
});
