import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { Call } from "../src/call/call.js";
import { upstreamServer } from "../src/control/upstream.js";
import {
  type ServerDefinition,
  serveUpstream,
  type Upstream,
  type UpstreamChange,
  type UpstreamRequest,
} from "../src/define-server.js";
import { createSessionHandler } from "../src/index.js";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const accept = "application/json, text/event-stream";

/** A server that offers nothing. */
const quiet: Upstream = {
  notStarted: undefined,
  tools: [],
  passes: [],
  capabilities: {},
  keepIn: () => {},
  expect: () => () => {},
  ask: async () => ({ result: {} }),
  subscribe: async () => ({ end: () => {} }),
  join: () => () => {},
  watch: () => () => {},
  close: async () => {},
};

test("a list of tools says why a wrapped server has none: it has never started", async () => {
  const upstream: Upstream = { ...quiet, notStarted: "It ended." };
  const definition: ServerDefinition = { name: "w", version: "1", tools: [], upstream };
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  serveUpstream(engine, definition);
  const handler = createSessionHandler({ engine, definition });
  onTestFinished(async () => {
    await handler.close();
    await engine.close();
  });
  const headers = { "content-type": "application/json", accept };
  const ask = (message: object, more = {}) => {
    const init = { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(message) };
    return handler.fetch(new Request("http://127.0.0.1/mcp", init));
  };
  const opened = await ask(initialize);
  await opened.text();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const listed = await ask({ jsonrpc: "2.0", id: 2, method: "tools/list" }, session);
  expect(await listed.text()).toContain(`"${metaKeys.notStarted}":"It ended."`);
});

test("of what a wrapped server sends, a session hears of lists that changed, and of nothing that is another owner's", async () => {
  const listeners = new Set<(change: UpstreamChange) => void>();
  const upstream: Upstream = {
    ...quiet,
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const definition: ServerDefinition = { name: "w", version: "1", tools: [], upstream };
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  const handler = createSessionHandler({ engine, definition });
  onTestFinished(async () => {
    await handler.close();
    await engine.close();
  });
  const ask = (init: RequestInit) => handler.fetch(new Request("http://127.0.0.1/mcp", init));
  const headers = { "content-type": "application/json", accept };
  const opened = await ask({ method: "POST", headers, body: JSON.stringify(initialize) });
  await opened.text();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", accept: "text/event-stream" };
  const stream = await ask({ method: "GET", headers: session });
  for (const method of [
    "notifications/resources/updated",
    "notifications/custom",
    "notifications/prompts/list_changed",
  ])
    for (const listener of listeners) listener({ method, params: { uri: "file:///of-another" } });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  while (!heard.includes("list_changed")) heard += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  expect(heard).not.toContain("resources/updated");
  expect(heard).not.toContain("custom");
});

test("a wrapped server is not sent what a client says to this server alone", async () => {
  const asked: UpstreamRequest[] = [];
  const upstream = {
    capabilities: { resources: {} },
    ask: async (request: UpstreamRequest) => {
      asked.push(request);
      return { result: {} };
    },
  };
  const call = { tasks: { owner: "o" }, signal: new AbortController().signal };
  const server = upstreamServer<undefined>(upstream as unknown as Upstream, "2025", () => call as unknown as Call);
  const ofThisServer = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", progressToken: 1 };
  const capable = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  await server.ask(undefined, "resources/read", { uri: "a:b", _meta: { ...ofThisServer, ...capable } });
  await server.ask(undefined, "resources/read", { uri: "a:b", _meta: ofThisServer });
  expect(asked.map(({ params }) => params)).toEqual([{ uri: "a:b", _meta: capable }, { uri: "a:b" }]);
});
