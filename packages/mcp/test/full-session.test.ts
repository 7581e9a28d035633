import { expect, onTestFinished, test } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { countTo, openEndpoint, openSession, post } from "./http-endpoint.js";

const request = (id: number, method: string) => ({ jsonrpc: "2.0", id, method });

test("G11 a session that is full of open calls and their streams takes every request that opens none", async () => {
  const limits = { maxOpenCalls: 2, maxStreams: 2 };
  const { url, close } = await openEndpoint({ tools: [countTool(createGate())], limits });
  onTestFinished(close);
  const session = await openSession(url);
  for (const id of [1, 2]) expect((await post(url, countTo(id, id), session)).status).toBe(200);
  const ask = async (id: number, method: string) => (await post(url, request(id, method), session)).status;
  expect([await ask(3, "ping"), await ask(4, "tools/list"), await ask(5, "tasks/list")]).toEqual([200, 200, 200]);
  expect((await post(url, countTo(6, 6), session)).status).toBe(429);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  expect((await post(url, cancelled, session)).status).toBe(202);
  await expect.poll(async () => (await post(url, countTo(7, 7), session)).status).toBe(200);
});
