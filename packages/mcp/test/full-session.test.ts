import { createMemoryStore } from "@resumable-mcp/core";
import { afterEach, expect, test } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { countTo, type EndpointOptions, eventsOf, openEndpoint, openSession, post, resume } from "./http-endpoint.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const request = (id: number, method: string) => ({ jsonrpc: "2.0", id, method });
type Session = Record<string, string>;

/** Makes a call whose server dies before its client has more than the first event. Gives the id of that event. */
async function dieInCall(options: EndpointOptions, session: Session, id: number): Promise<string> {
  const { url, close } = await openEndpoint(options);
  const { value: prime } = await eventsOf(await post(url, countTo(id, id), session)).next();
  await close();
  return prime?.id ?? "";
}

test("G11 calls that died with their servers make room for others, oldest first; the others can be resumed", async () => {
  const store = createMemoryStore();
  const tools = [countTool(createGate())];
  const limits = { maxOpenCalls: 4, checkSessionMs: 10 };
  const process = () => ({ tools, limits, store: store.anotherProcess() });
  const first = await openEndpoint(process());
  const session = await openSession(first.url);
  await first.close();
  const died: string[] = [];
  for (const id of [1, 2, 3, 4]) died.push(await dieInCall(process(), session, id));

  const { url, close } = await openEndpoint(process());
  closing.push(close);
  expect((await post(url, request(5, "ping"), session)).status).toBe(200);
  await expect.poll(async () => (await post(url, countTo(6, 6), session)).status).toBe(200);
  const statuses = [];
  for (const last of died) statuses.push((await resume(url, session, last)).status);
  expect(statuses).toEqual([405, 200, 200, 200]);
  expect((await post(url, countTo(7, 7), session)).status).toBe(429);
});

test("G11 a session that is full of open calls and their streams takes every request that opens none", async () => {
  const limits = { maxOpenCalls: 2, maxStreams: 2 };
  const { url, close } = await openEndpoint({ tools: [countTool(createGate())], limits });
  closing.push(close);
  const session = await openSession(url);
  for (const id of [1, 2]) expect((await post(url, countTo(id, id), session)).status).toBe(200);
  const ask = async (id: number, method: string) => (await post(url, request(id, method), session)).status;
  expect([await ask(3, "ping"), await ask(4, "tools/list"), await ask(5, "tasks/list")]).toEqual([200, 200, 200]);
  expect((await post(url, countTo(6, 6), session)).status).toBe(429);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  expect((await post(url, cancelled, session)).status).toBe(202);
  await expect.poll(async () => (await post(url, countTo(7, 7), session)).status).toBe(200);
});
