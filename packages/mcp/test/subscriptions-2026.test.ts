import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { endingOf } from "../src/call/ending.js";
import { registerTools2026, withTasks } from "../src/era-2026/index.js";
import { requestFacts } from "../src/era-2026/read-message.js";
import { subscriptionsOnly } from "../src/era-2026/with-tasks.js";
import { messagesOf, openEndpoint } from "./endpoint-2026.js";

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

test("a subscription to very many resources begins, and hears of some of them", async () => {
  const uris = Array.from({ length: 10_000 }, (_none, index) => `file:///resource-${index}-${"x".repeat(40)}`);
  const notifications = { resourceSubscriptions: [...uris, `file:///${"x".repeat(2_000)}`].reverse() };
  const to = openEndpoint([]);
  onTestFinished(to.close);
  const stream = messagesOf(await to.open("subscriptions/listen", { notifications }));
  const { value } = await stream.next();
  await stream.return();
  expect(value).toMatchObject({ params: { notifications: { resourceSubscriptions: uris.reverse().slice(0, 256) } } });
});

test("every subscription behind withTasks ends with its token, and is one of its owner's", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  const createServer = () => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools2026(server, engine);
    return server;
  };
  const handler = withTasks(createMcpHandler(createServer), engine, { maxSubscriptionsPerOwner: 1 });
  onTestFinished(() => engine.close());
  onTestFinished(() => handler.close());
  const listen = (expiresAt?: number) => {
    const params = { notifications: { toolsListChanged: true }, _meta };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    const authInfo = { token: "t", clientId: "stock", scopes: [], extra: { sub: "ada" } };
    const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body });
    return handler.fetch(request, { authInfo: { ...authInfo, ...(expiresAt !== undefined && { expiresAt }) } });
  };
  const messages: JsonObject[] = [];
  for await (const message of messagesOf(await listen(1))) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
  const open = await listen();
  expect(await (await listen()).json()).toMatchObject({
    error: { message: expect.stringContaining("maxSubscriptionsPerOwner = 1") },
  });
  await open.body?.cancel();
});

test("a subscription promises changes only where it hears of them", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  const { listener } = subscriptionsOnly(engine, {});
  onTestFinished(() => engine.close());
  const written: JsonObject[] = [];
  const params = { notifications: { toolsListChanged: true, resourceSubscriptions: ["file:///any"] }, _meta };
  const request = {
    ...requestFacts(1, params),
    ending: endingOf(new AbortController().signal),
    notify: async () => {},
    carry: () => {},
    authenticated: () => undefined,
  };
  await listener.listen(request, params, { send: async (message) => void written.push(message), end() {} });
  expect(written[0]).toHaveProperty("params.notifications.resourceSubscriptions");
  expect(written[0]).not.toHaveProperty("params.notifications.toolsListChanged");
  listener.close();
});
