import { type McpServer, requireScopes } from "@modelcontextprotocol/server";
import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import type { ServerDefinition } from "../src/define-server.js";
import { Connection2026 } from "../src/era-2026/connection.js";
import { Router2026 } from "../src/era-2026/router.js";
import { countTool, createGate } from "./counting-tool.js";
import { type Endpoint, openEndpoint } from "./endpoint-2026.js";

function endpoint(setup2026: ServerDefinition["setup2026"]): Endpoint {
  const made = openEndpoint([countTool()], createMemoryStore(), { setup2026 });
  onTestFinished(made.close);
  return made;
}

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One connection, as over stdio, and what is written to it. */
function connect(setup2026: ServerDefinition["setup2026"]) {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  const written: JsonObject[] = [];
  const heard: (() => void)[] = [];
  const definition = { name: "test", version: "1", tools: [], setup2026 };
  const answers = new Router2026({ definition, engine, onOther: (message) => connection.send(message) });
  const connection = new Connection2026({
    answers,
    async write(message) {
      written.push(JSON.parse(JSON.stringify(message)));
      for (const wake of heard.splice(0)) wake();
    },
  });
  onTestFinished(() => engine.close());
  return {
    ask: (id: string | number, method: string, params: JsonObject = {}) =>
      connection.receive({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
    async next(): Promise<JsonObject> {
      while (written.length === 0) await new Promise<void>((resolve) => heard.push(resolve));
      return written.shift() as JsonObject;
    },
  };
}

test("what asks for scopes of its own is kept from tokens without them (G11)", async () => {
  let ran = 0;
  const scopeChallenge = requireScopes("admin");
  const to = endpoint((server) => {
    server.registerTool("wipe", { scopeChallenge }, () => {
      ran += 1;
      return { content: [] };
    });
    server.registerResource("secret", "secret://one", { scopeChallenge }, () => {
      ran += 1;
      return { contents: [] };
    });
    server.registerPrompt("secret", { scopeChallenge }, () => {
      ran += 1;
      return { messages: [] };
    });
  });
  const asked = [
    ["tools/call", { name: "wipe" }],
    ["resources/read", { uri: "secret://one" }],
    ["prompts/get", { name: "secret" }],
  ] as const;
  for (const [method, params] of asked) {
    const { status, headers } = await to.open(method, params);
    expect([status, headers.get("www-authenticate")]).toEqual([403, expect.stringContaining('scope="admin"')]);
  }
  expect(ran).toBe(0);
});

test("an answer that is not JSON becomes an error, also after its stream began", async () => {
  const to = endpoint((server) => {
    server.registerTool("odd", {}, async (context) => {
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
      return { content: [], structuredContent: { count: 1n } };
    });
    server.registerTool("early", {}, () => ({ content: [], structuredContent: { count: 1n } }));
  });
  for (const name of ["odd", "early"]) {
    const { error } = await to.send("tools/call", { name });
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining("Its log says more") });
  }
});

test("what a server says by itself that changed reaches who listens, and is not sent to others", async () => {
  let server: McpServer | undefined;
  const to = connect((made) => {
    server = made;
  });
  to.ask(1, "ping");
  await to.next();
  server?.sendToolListChanged();
  to.ask(2, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  expect(await to.next()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  server?.registerTool("late", {}, () => ({ content: [] }));
  const stamp = { "io.modelcontextprotocol/subscriptionId": 2 };
  expect(await to.next()).toMatchObject({ method: "notifications/tools/list_changed", params: { _meta: stamp } });
});

test("a request whose id is empty is not cancelled by the next message", async () => {
  const gate = createGate();
  const to = connect((server) => {
    server.registerTool("slow", {}, async () => {
      await gate.pass();
      return { content: [] };
    });
  });
  to.ask("", "tools/call", { name: "slow" });
  to.ask(2, "server/discover");
  expect(await to.next()).toMatchObject({ id: 2 });
  gate.open();
  expect(await to.next()).toMatchObject({ id: "", result: {} });
});

test("a handler may answer for itself when its call of a resumable tool failed", async () => {
  const to = endpoint((server, { callTool }) => {
    server.registerTool("careful", {}, async (context) => {
      const fallback = { content: [{ type: "text" as const, text: "Later." }] };
      return (await callTool("count", { to: "no number" }, context).catch(() => fallback)) as typeof fallback;
    });
  });
  const { result } = await to.send("tools/call", { name: "careful" });
  expect(result).toMatchObject({ content: [{ text: "Later." }] });
});

test("a tool of the server's own reads the request that called it, and has none over stdio", async () => {
  const setup2026 = (server: McpServer) => {
    server.registerTool("ask", {}, ({ http }) => ({
      content: [{ type: "text", text: `${http?.req?.method} ${http?.req?.headers.get("mcp-name")}` }],
    }));
  };
  const { result } = await endpoint(setup2026).send("tools/call", { name: "ask" });
  expect(result).toMatchObject({ content: [{ text: "POST ask" }] });
  const stdio = connect(setup2026);
  stdio.ask(1, "tools/call", { name: "ask" });
  expect(await stdio.next()).toMatchObject({ result: { content: [{ text: "undefined undefined" }] } });
});
