import { createMemoryStore, type JsonObject, type MemoryStore } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { countTool } from "./counting-tool.js";
import { eventsOf, openEndpoint, openSession, post } from "./http-endpoint.js";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
/** As a build stored it that said otherwise who opened a session. */
const facts: JsonObject = { protocolVersion: "2025-11-25", key: "k", initialize: {}, local: "127.0.0.1" };
const kind = "session";

/** Writes what another version of the server makes of a session. */
async function writeOther(store: MemoryStore, id: string): Promise<void> {
  const { version: expectedVersion = 0, owner = `session:${id}` } = (await store.getDocument(kind, id)) ?? {};
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  await store.putDocument({ kind, id, owner, value: facts, expectedVersion, now });
}

async function open(limits = {}) {
  const store = createMemoryStore();
  const messages: string[] = [];
  const onError = (error: unknown) => messages.push(error instanceof Error ? error.message : String(error));
  const to = await openEndpoint({ tools: [countTool()], store, onError, limits });
  onTestFinished(to.close);
  return { ...to, store, messages };
}

test("a session that an older build stored is unknown to its client, and the log says which it is and why (G12)", async () => {
  const { url, store, messages } = await open();
  const id = "0123456789abcdefghijABCDEFGHIJ01";
  await writeOther(store, id);
  const answer = await post(url, ping, { "mcp-session-id": id });
  expect(answer.status).toBe(404);
  expect(messages).toEqual([expect.stringMatching(`^The session ${id} in the store cannot be read .*: local: `)]);
  expect(await store.getDocument(kind, id)).toMatchObject({ version: 1, value: facts });
});

test("a session that another version writes while it is open here ends here, and hinders no other (G12)", async () => {
  const { url, store, messages } = await open({ checkSessionMs: 5 });
  const [changed, other] = [await openSession(url), await openSession(url)];
  const listening = await fetch(url, { headers: { accept: "text/event-stream", ...changed } });
  await writeOther(store, changed["mcp-session-id"]);
  for await (const _event of eventsOf(listening));
  expect((await post(url, ping, changed)).status).toBe(404);
  expect((await post(url, ping, other)).status).toBe(200);
  for (const message of messages) expect(message).toContain(`The session ${changed["mcp-session-id"]} in the store`);
});

test("a session that cannot be read keeps no other in memory that nothing is done with (G12)", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, store, engine } = await open({ sweepEveryMs: 5, idleMs: 60_000 });
  // The sweep takes those first that were not used for longest.
  const [changed, other] = [await openSession(url), await openSession(url)];
  await writeOther(store, changed["mcp-session-id"]);
  const versionOf = async () => (await engine.documents.getDocument(kind, other["mcp-session-id"]))?.version ?? 0;
  const before = await versionOf();
  vi.advanceTimersByTime(60_001);
  // Each session that goes out of memory is written once more.
  await expect.poll(versionOf).toBeGreaterThan(before);
  expect((await post(url, ping, other)).status).toBe(200);
});
