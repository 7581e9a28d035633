import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { createSessionHandler, registerTools } from "../src/index.js";
import { countTool } from "./counting-tool.js";
import { post } from "./http-endpoint.js";

/** An endpoint behind a parser, which keeps what it has read in this way. */
async function behind(keep: (request: IncomingMessage, body: string) => void) {
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  const errors: string[] = [];
  const createMcpServer = () => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools(server, engine);
    return server;
  };
  const limits = { maxBodyBytes: 10_000 };
  const onError = (error: unknown) => void errors.push(String(error));
  const handler = createSessionHandler({ engine, createServer: createMcpServer, limits, onError });
  const http = createServer(async (request, response) => {
    if (request.method === "POST") keep(request, await text(request));
    handler.node(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    http.closeAllConnections();
    await handler.close();
    await engine.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, errors };
}

const parsers: readonly (readonly [string, (body: string) => unknown])[] = [
  ["as a value", (body) => JSON.parse(body)],
  ["as a text", (body) => body],
  ["as bytes", (body) => Buffer.from(body)],
];

test.each(parsers)("a body that a parser in front has read and kept %s is used", async (_, parse) => {
  const { url, errors } = await behind((request, body) => void Object.assign(request, { body: parse(body) }));
  const client = new Client({ name: "stock", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const result = await client.callTool({ name: "count_to", arguments: { n: 2 } });
  expect([result, errors]).toMatchObject([{ structuredContent: { counted: 2 } }, []]);
});

test("a body that was read and not kept is refused with what to do, and reported", async () => {
  const { url, errors } = await behind(() => {});
  const answer = await post(url, { jsonrpc: "2.0", id: 1, method: "ping" });
  const message = expect.stringContaining("Leave the parser out for its path");
  expect([answer.status, await answer.json(), errors]).toMatchObject([500, { error: { message } }, [message]]);
});

test("what a parser has read keeps to the limits of a body (G11)", async () => {
  let deep: unknown = 1;
  for (let level = 0; level < 300; level += 1) deep = [deep];
  const statusOf = async (params: object) => {
    const kept = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const { url } = await behind((request) => void Object.assign(request, { body: kept }));
    return (await post(url, {})).status;
  };
  expect([await statusOf({ text: "x".repeat(20_000) }), await statusOf({ deep })]).toEqual([413, 400]);
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(await statusOf({ deep })).toBe(413);
});
