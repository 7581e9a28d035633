import { createMemoryStore } from "@resumable-mcp/core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { countTool } from "./counting-tool.js";
import { type EndpointOptions, openEndpoint } from "./http-endpoint.js";

const closing: (() => Promise<void>)[] = [];
beforeEach(() => vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.useRealTimers();
});

const idleMs = 60_000;

const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
const initialize = { id: 0, method: "initialize", params };
type Method = "POST" | "GET";

/** A process of an endpoint, and what strangers do with it. */
async function open(options: Partial<EndpointOptions> = {}) {
  const { handler, engine, close } = await openEndpoint({ tools: [countTool()], ...options });
  closing.push(close);
  const send = async (network: string | undefined, message: object, id?: string, method: Method = "POST") => {
    const headers: Record<string, string> = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(id !== undefined && { "mcp-session-id": id }),
    };
    const body = method === "GET" ? undefined : JSON.stringify({ jsonrpc: "2.0", ...message });
    const answer = await handler.fetch(new Request("http://localhost/mcp", { method, headers, body }), { network });
    if (method === "GET") await answer.body?.cancel();
    return answer;
  };
  const openFrom = async (network?: string) => (await send(network, initialize)).headers.get("mcp-session-id") ?? "";
  const kept = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await engine.documents.getDocument("session", id)) !== undefined));
  return { send, openFrom, kept };
}

const soon = { timeout: 20_000 };

test("a session that its stranger never used ends when it is put out of memory; others stay in the store (F5)", async () => {
  const limits = { idleMs, sweepEveryMs: 5, maxLiveSessions: 100 };
  const { send, openFrom, kept } = await open({ limits });
  const [unused, pinged, listed, heard, known] = [
    await openFrom("192.0.2.1"),
    await openFrom("192.0.2.1"),
    await openFrom("192.0.2.1"),
    await openFrom("192.0.2.2"),
    await openFrom(),
  ];
  await send("192.0.2.1", { id: 1, method: "tools/list" }, listed);
  await send("192.0.2.2", {}, heard, "GET");
  await send("192.0.2.1", { method: "notifications/initialized" }, pinged);
  await send("192.0.2.1", { id: 2, method: "ping" }, pinged);
  vi.advanceTimersByTime(idleMs + 1);
  await expect.poll(() => kept([unused, pinged, listed, heard, known]), soon).toEqual([false, false, true, true, true]);
});

test("a flood of more sessions than memory has place for leaves none that was not used (F5)", async () => {
  const { openFrom, kept } = await open({ limits: { maxLiveSessions: 2 } });
  const ids: string[] = [];
  for (let times = 0; times < 10; times++) ids.push(await openFrom(`192.0.2.${times}`));
  const count = async () => (await kept(ids)).filter((isKept) => isKept).length;
  await expect.poll(count, soon).toBeLessThanOrEqual(3);
});

test("of too many unused sessions of one network the oldest ends, and no other (F5)", async () => {
  const { send, openFrom, kept } = await open({ limits: { maxUnusedSessionsPerAddress: 2 } });
  const used = await openFrom("192.0.2.1");
  await send("192.0.2.1", { id: 1, method: "tools/list" }, used);
  const other = await openFrom("192.0.2.2");
  const ids: string[] = [];
  for (let times = 0; times < 4; times++) ids.push(await openFrom("192.0.2.1"));
  await expect.poll(() => kept([used, other, ...ids]), soon).toEqual([true, true, false, false, true, true]);
});

test("a session that is used at another process does not end at the one that opened it (F5)", async () => {
  const store = createMemoryStore();
  const first = await open({ store, limits: { idleMs, sweepEveryMs: 5 } });
  const second = await open({ store: store.anotherProcess() });
  const [used, unused] = [await first.openFrom("192.0.2.1"), await first.openFrom("192.0.2.1")];
  expect((await second.send("192.0.2.1", { id: 1, method: "tools/list" }, used)).status).toBe(200);
  vi.advanceTimersByTime(idleMs + 1);
  await expect.poll(() => first.kept([used, unused]), soon).toEqual([true, false]);
  expect((await second.send("192.0.2.1", { id: 2, method: "tools/list" }, used)).status).toBe(200);
});
