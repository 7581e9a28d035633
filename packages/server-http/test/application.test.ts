import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from "@modelcontextprotocol/client";
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createHttpHandler, createLog, type HttpHandlerOptions, type McpHandler, serve } from "../src/index.js";
import { connectStock } from "./stock-client.js";

const count = defineTool({
  name: "count",
  description: "Counts to three.",
  input: z.object({}),
  async *run(_input, task) {
    for (let at = 1; at <= 3; at += 1) yield { progress: at, total: 3, message: task.id };
    return { counted: 3 };
  },
});

const definition = defineServer({ name: "app", version: "1.0.0", tools: [count] });
const publicUrl = "https://app.example.com/mcp";
const options = (): HttpHandlerOptions => ({
  definition,
  store: createMemoryStore(),
  publicUrl,
  authorizationServers: ["https://idp.example"],
  verifyToken: (token) => (token === "ada" ? { token, clientId: "web", scopes: [], extra: { sub: token } } : undefined),
});

async function open(more: Partial<HttpHandlerOptions> = {}): Promise<McpHandler> {
  const mcp = await createHttpHandler({ ...options(), ...more });
  onTestFinished(() => mcp.close());
  return mcp;
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The recipe of the README that begins so, as a function of what it names. */
function recipe(title: string, ...names: readonly string[]): (...values: readonly unknown[]) => unknown {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const block = new RegExp(`\`\`\`js\\n(// ${title}[\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (block === undefined) throw new Error(`The README has no recipe ${title}.`);
  const body = block
    .replace("export default", "return")
    .replace(/export \{(.*)\};/, (_all, list: string) => `return {${list.replace(/(\w+) as (\w+)/g, "$2: $1")}};`);
  return new Function("mcp", ...names, body) as (...values: readonly unknown[]) => unknown;
}

const request: Fetch = async (input, init) => fetch(input, init);

/** Serves an application in each way, and gives its URL and what fetches from it. */
const applications: readonly (readonly [string, (mcp: McpHandler) => Promise<readonly [string, Fetch]>])[] = [
  ["Express", (mcp) => expressApp(mcp, false)],
  ["Express behind express.json()", (mcp) => expressApp(mcp, true)],
  [
    "Fastify",
    async (mcp) => {
      const app = fastify();
      recipe("Fastify", "app")(mcp, app);
      onTestFinished(() => app.close());
      return [await app.listen({ port: 0, host: "127.0.0.1" }), request];
    },
  ],
  [
    "Hono",
    async (mcp) => {
      const app = new Hono();
      recipe("Hono", "app")(mcp, app);
      return inProcess((given) => Promise.resolve(app.fetch(given)));
    },
  ],
  [
    "Next route handlers",
    async (mcp) => {
      const routes = Object(recipe("Next")(mcp));
      return inProcess((given) => Reflect.get(routes, given.method)(given));
    },
  ],
  [
    "a module with fetch",
    async (mcp) => inProcess((given) => Reflect.get(Object(recipe("A module with fetch")(mcp)), "fetch")(given)),
  ],
];

async function expressApp(mcp: McpHandler, isParsed: boolean): Promise<readonly [string, Fetch]> {
  const app = express();
  if (isParsed) app.use(express.json());
  recipe("Express", "app")(mcp, app);
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, request];
}

function inProcess(answer: (given: Request) => Promise<Response>): readonly [string, Fetch] {
  // As over a network: what was read before is known when the next request comes.
  const send: Fetch = async (input, init) => {
    await nextTurn();
    return answer(new Request(input, init));
  };
  return ["http://app.example.com", send];
}

const seenBy = () => {
  const seen: number[] = [];
  return { seen, onprogress: ({ progress }: { readonly progress: number }) => void seen.push(progress) };
};
const result = { structuredContent: { counted: 3 } };

test.each(applications)(
  "%s: clients of both eras call, and who has no token learns where to sign in",
  async (_, application) => {
    const [origin, fetchOf] = await application(await open());
    const url = `${origin}/mcp`;
    const stock = await connectStock(url, { token: "ada", transport: { fetch: fetchOf } });
    const first = seenBy();
    expect(await stock.client.callTool({ name: "count", arguments: {} }, undefined, first)).toMatchObject(result);
    await stock.transport.terminateSession();
    const client = new Client2026(
      { name: "new", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    onTestFinished(() => client.close());
    const requestInit = { headers: { authorization: "Bearer ada" } };
    await client.connect(new Transport2026(new URL(url), { requestInit, fetch: fetchOf }));
    const second = seenBy();
    expect(await client.callTool({ name: "count", arguments: {} }, second)).toMatchObject(result);
    expect([first.seen, second.seen]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    const refused = await fetchOf(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    const metadata = "https://app.example.com/.well-known/oauth-protected-resource/mcp";
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining(metadata)]);
    const shown = await fetchOf(`${origin}/.well-known/oauth-protected-resource/mcp`);
    expect(await shown.json()).toMatchObject({ resource: publicUrl, authorization_servers: ["https://idp.example"] });
  },
);

test("a listener that Express mounts below a path sees the whole path", async () => {
  const mcp = await open();
  const app = express().use("/mcp", mcp.node);
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { client } = await connectStock(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
    token: "ada",
  });
  expect(await client.callTool({ name: "count", arguments: {} })).toMatchObject(result);
});

test("a body that was read and not kept is refused with what to do, and logged", async () => {
  const lines: string[] = [];
  const mcp = await open({ log: createLog({ write: (line) => lines.push(line) }) });
  const given = new Request("http://app.example.com/mcp", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json", authorization: "Bearer ada" },
  });
  await given.text();
  const answer = await mcp.fetch(given);
  expect([answer.status, await answer.text()]).toEqual([
    500,
    expect.stringContaining("Leave the parser out for its path"),
  ]);
  expect(lines.join("")).toContain("The body was read before the request came");
});

test.each<[string, object, RegExp]>([
  ["nothing", {}, /needs verifyToken, or insecure/],
  ["no definition", { ...options(), definition: undefined }, /needs definition, which defineServer makes/],
  ["no store", { ...options(), store: undefined }, /and store, such as createFsStore/],
  ["no token and no word about it", { ...options(), verifyToken: undefined }, /needs verifyToken, or insecure/],
  ["an authorization server and no URL of its own", { ...options(), publicUrl: undefined }, /needs its publicUrl/],
])("with %s it says what is missing", async (_, given, message) => {
  await expect(createHttpHandler(given as HttpHandlerOptions)).rejects.toThrow(message);
});

test("serve says the same of what is missing", async () => {
  await expect(serve({} as HttpHandlerOptions)).rejects.toThrow(/needs definition/);
});
