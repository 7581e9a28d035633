import { expect, test } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { countTo, eventsOf, openForTest, openSession, post, readUntil } from "./http-endpoint.js";

/** The `retry` fields of a stream, in the order in which they came, when it has ended. */
async function retriesOf(response: Response): Promise<readonly number[]> {
  return [...(await response.text()).matchAll(/^retry: (\d+)$/gm)].map(([, digits]) => Number(digits));
}

test("a stream begins with the time that a crash needs; a server that stops tells every stream the longer one", async () => {
  const limits = { retryMs: 4_000, drainRetryMs: 9_000 };
  const { url, handler } = await openForTest({ tools: [countTool(createGate())], limits });
  const session = await openSession(url);
  const call = await post(url, countTo(1), session);
  const standalone = await fetch(url, { headers: { accept: "text/event-stream", ...session } });
  await handler.close();
  expect(await Promise.all([call, standalone].map(retriesOf))).toEqual([
    [4_000, 9_000],
    [4_000, 9_000],
  ]);
});

test.each([
  ["a log message", undefined, [{ message: { method: "notifications/message", params: { level: "debug" } } }]],
  ["its first message, where it wants no such log", "info", []],
])("a client of 2025-06-18 gets the time at once, and an event id with %s", async (_, level, early) => {
  const gate = createGate();
  const { url } = await openForTest({ tools: [countTool(gate)], limits: { retryMs: 4_000 } });
  const session = await openSession(url, {}, "2025-06-18");
  if (level !== undefined) {
    const params = { level };
    await (await post(url, { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params }, session)).text();
  }
  const [forEvents, forText] = (await post(url, countTo(1), session)).body?.tee() ?? [];
  const first = await new Response(forText).body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toContain("retry: 4000\n");
  gate.open();
  const events = await readUntil(eventsOf(new Response(forEvents)), () => false);
  expect(events.every(({ id, message }) => id !== undefined && message !== undefined)).toBe(true);
  expect(events.slice(0, -3)).toMatchObject(early);
});

test.each([
  ["without limits", undefined],
  ["with limits that are undefined", { retryMs: undefined, drainRetryMs: undefined }],
])("%s stock clients cover 15 s after a crash and 30 s after a drain, with their two attempts", async (_, limits) => {
  const { url, handler } = await openForTest({ tools: [countTool(createGate())], limits });
  const call = await post(url, countTo(1), await openSession(url));
  await handler.close();
  expect((await retriesOf(call)).map((retryMs) => 2 * retryMs)).toEqual([15_000, 30_000]);
});

test("a handler that ends the stream of its request early tells the client to come back soon", async () => {
  const gate = createGate();
  const { url } = await openForTest({
    tools: [],
    limits: { retryMs: 4_000, pollRetryMs: 300 },
    setup: (server) =>
      server.registerTool("poll", { description: "Ends its stream." }, async (extra) => {
        extra.closeSSEStream?.();
        await gate.pass();
        return { content: [] };
      }),
  });
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "poll" } };
  expect(await retriesOf(await post(url, call, await openSession(url)))).toEqual([4_000, 300]);
  gate.open();
});
