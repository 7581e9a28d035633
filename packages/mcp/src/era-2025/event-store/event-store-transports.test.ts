import { WebStandardStreamableHTTPServerTransport as Transport2025 } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { WebStandardStreamableHTTPServerTransport as Transport2026 } from "@modelcontextprotocol/server";
import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { createEventStore } from "./event-store.js";

const answer = { jsonrpc: "2.0", id: 1, result: { done: true } } as const;
const url = "http://127.0.0.1/mcp";
const accept = "application/json, text/event-stream";
const headers = { accept, "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } });

/** The transports of both SDKs, whose server answers each request at once. */
const transports = {
  "the SDK of the 2025 era": (store: Store) => answering(new Transport2025({ eventStore: eventsOf(store) })),
  "the SDK of the 2026 era": (store: Store) => answering(new Transport2026({ eventStore: eventsOf(store) })),
};

test.each(Object.entries(transports))("a transport of %s reads again what another one stored", async (_name, make) => {
  const store = createMemoryStore();
  const stream = await make(store).handleRequest(new Request(url, { method: "POST", headers, body }));
  const sent = await stream.text();
  const [primed = "", answered = ""] = [...sent.matchAll(/^id: (.+)$/gm)].map(([, id = ""]) => id);
  const again = new Request(url, { headers: { ...headers, "last-event-id": primed } });
  const resumed = await make(store).handleRequest(again);
  const { value } = (await resumed.body?.getReader().read()) ?? {};
  const text = new TextDecoder().decode(value);
  expect(text).toContain(`id: ${answered}\n`);
  expect(JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? "")).toEqual(answer);
});

test("a transport with sessions refuses those of the process before, whatever is stored", async () => {
  const store = createMemoryStore();
  const transport = new Transport2025({ sessionIdGenerator: () => "one", eventStore: eventsOf(store) });
  const session = { ...headers, "mcp-session-id": "one", "last-event-id": "any" };
  const response = await transport.handleRequest(new Request(url, { headers: session }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: "Bad Request: Server not initialized" } });
});

function eventsOf(store: Store) {
  return createEventStore({ store, sessionId: "one" });
}

function answering<Transport extends Transport2025 | Transport2026>(transport: Transport): Transport {
  transport.onmessage = () => void transport.send(answer);
  return transport;
}
