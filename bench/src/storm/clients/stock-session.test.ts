import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, expect, test } from "vitest";
import { connectSession } from "./stock-session.js";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that opens sessions and answers everything else with one status. */
async function listen(status: number): Promise<{ readonly url: URL; readonly ended: readonly unknown[] }> {
  const ended: unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "DELETE") ended.push(request.headers["mcp-session-id"]);
    const text = (await request.toArray()).join("");
    if (!text.includes('"initialize"')) return void response.writeHead(status).end();
    const { id, params } = JSON.parse(text);
    const facts = {
      protocolVersion: params.protocolVersion,
      capabilities: {},
      serverInfo: { name: "s", version: "1" },
    };
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "one" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: facts }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), ended };
}

test("a client that ends has no session left at its server", async () => {
  const { url, ended } = await listen(202);
  const { end } = await connectSession(new Client({ name: "test", version: "1" }), { url });
  expect(ended).toEqual([]);
  await end();
  expect(ended).toEqual(["one"]);
});

test("a try that fails after its session was opened leaves none", async () => {
  const { url, ended } = await listen(503);
  await expect(connectSession(new Client({ name: "test", version: "1" }), { url })).rejects.toThrow();
  expect(ended).toEqual(["one"]);
});
