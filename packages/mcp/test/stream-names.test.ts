import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { nameStream, type StreamFacts } from "../src/era-2025/session/event-id.js";
import { countTool, createGate } from "./counting-tool.js";
import {
  countTo,
  eventsOf,
  type openEndpoint,
  openForTest,
  openSession,
  post,
  readUntil,
  resume,
} from "./http-endpoint.js";

/** Makes calls, and leaves each after its first event; gives the ids of those. */
async function leaveCalls(url: string, session: Record<string, string>, count: number): Promise<readonly string[]> {
  const lost: string[] = [];
  for (let id = 1; id <= count; id++) {
    const events = eventsOf(await post(url, countTo(id, id), session));
    lost.push((await events.next()).value?.id ?? "");
    await events.return();
  }
  return lost;
}

const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };

/** Two servers over one store, of which the first tells when it reads a session; each reads it often. */
async function openReplicas(tools: Parameters<typeof openEndpoint>[0]["tools"], onRead: () => Promise<void>) {
  const store = createMemoryStore();
  const { getDocument } = store;
  const noting: Store = Object.assign(Object.create(store), {
    async getDocument(kind: string, id: string) {
      if (kind === "session") await onRead();
      return getDocument(kind, id);
    },
  });
  const limits = { checkSessionMs: 10 };
  const here = await openForTest({ tools, limits, store: noting });
  return { here, there: await openForTest({ tools, limits, store: store.anotherProcess() }) };
}

test("G8 a call that is cancelled at another process while its own reads the session is stopped", async () => {
  const [reading, read] = [createGate(), createGate()];
  const { here, there } = await openReplicas([countTool(createGate())], async () => {
    reading.open();
    await read.pass();
  });
  const session = await openSession(there.url);
  const answer = post(here.url, countTo(3), session);
  await reading.pass();
  expect((await post(there.url, cancelled, session)).status).toBe(202);
  read.open(100_000);
  const seen = await readUntil(eventsOf(await answer), () => false);
  expect(seen.filter(({ message }) => message !== undefined && "result" in message)).toEqual([]);
});

test("G8 a call that is cancelled at another process before its task is made makes none", async () => {
  const store = createMemoryStore();
  const [noting, noted] = [createGate(), createGate()];
  const putDocument: Store["putDocument"] = async (given) => {
    if (given.kind === "stream-order") {
      noting.open();
      await noted.pass();
    }
    return store.putDocument(given);
  };
  const slow: Store = Object.assign(Object.create(store), { putDocument });
  const tools = [countTool()];
  const here = await openForTest({ tools, store: slow, limits: { checkSessionMs: 0 }, crossStreamReplay: true });
  const there = await openForTest({ tools, store: store.anotherProcess() });
  const session = await openSession(there.url);
  const answer = post(here.url, countTo(3), session);
  await noting.pass();
  await (await post(there.url, cancelled, session)).text();
  // Whatever comes here next reads what others did to the session.
  await (await post(here.url, { jsonrpc: "2.0", id: 8, method: "ping" }, session)).text();
  noted.open(100);
  expect(await (await answer).text()).toBe("");
  expect((await here.engine.forOwner(`session:${session["mcp-session-id"]}`).list()).tasks).toEqual([]);
});

test("G8 a call under the id of a request that was cancelled before it came is carried out", async () => {
  const gate = createGate();
  let reads = 0;
  const { here, there } = await openReplicas([countTool(gate)], async () => {
    reads += 1;
  });
  const session = await openSession(here.url);
  await (await post(there.url, cancelled, session)).text();
  // The clock shows the same millisecond for what comes at once.
  const atMs = Date.now();
  await expect.poll(() => Date.now()).toBeGreaterThan(atMs);
  const events = readUntil(eventsOf(await post(here.url, countTo(3), session)), () => false);
  const before = reads;
  await expect.poll(() => reads).toBeGreaterThan(before + 2);
  gate.open(10);
  expect((await events).at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3 } } });
});

test("G5 the refusal of a call is sent again where its client lost it", async () => {
  const { url } = await openForTest({ tools: [countTool()] });
  const session = await openSession(url);
  const seen = await readUntil(
    eventsOf(await post(url, { ...countTo(1), params: { name: "count_to" } }, session)),
    () => false,
  );
  const again = await readUntil(eventsOf(await resume(url, session, seen[0]?.id ?? "")), () => false);
  expect(again.at(-1)?.message).toEqual(seen.at(-1)?.message);
  expect(again.at(-1)?.message).toMatchObject({ id: 7, result: { isError: true } });
});

test.each(["maxOpenCalls", "maxStreams"])("a client resumes no more calls at once than %s (G11)", async (limit) => {
  const { url } = await openForTest({ tools: [countTool(createGate())], limits: { [limit]: 3 } });
  const session = await openSession(url);
  const statuses = [];
  for (const last of await leaveCalls(url, session, 4)) statuses.push((await resume(url, session, last)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("a client cannot name a stream itself, though it knows all but the key of its session (G10)", async () => {
  const { url, store } = await openForTest({ tools: [countTool()] });
  const session = await openSession(url);
  const id = session["mcp-session-id"] ?? "";
  const params = { name: "count_to", arguments: { n: 1 } };
  const facts: StreamFacts = { kind: "again", acceptedMs: 1, requestId: 1, method: "tools/call", params };
  const statusOf = async (key: string) => (await resume(url, session, `${nameStream(key, "call1", facts)}.0`)).status;
  expect(await statusOf(id)).toBe(405);
  const document = await store.getDocument("session", id);
  expect(await statusOf(String(Reflect.get(Object(document?.value), "key")))).toBe(200);
});

test("calls whose clients left them do not stay in memory, and are continued all the same (G6, G11)", async () => {
  const gate = createGate();
  const { url } = await openForTest({ tools: [countTool(gate)], limits: { maxFinishedCalls: 1 } });
  const session = await openSession(url);
  const lost = await leaveCalls(url, session, 3);
  gate.open(100);
  for (const [at, last] of lost.entries()) {
    const rest = await readUntil(eventsOf(await resume(url, session, last)), () => false);
    expect(rest.at(-1)?.message).toMatchObject({ id: at + 1, result: { structuredContent: { counted: at + 1 } } });
  }
});

test("a call whose task was deleted is not begun again by its stream's name (G7)", async () => {
  const { url, engine } = await openForTest({ tools: [countTool()] });
  const session = await openSession(url);
  const seen = await readUntil(eventsOf(await post(url, countTo(2), session)), () => false);
  const tasks = engine.forOwner(`session:${session["mcp-session-id"]}`);
  const [task] = (await tasks.list()).tasks;
  await tasks.delete(task?.id ?? "");
  expect((await resume(url, session, seen[0]?.id ?? "")).status).toBe(405);
  expect((await tasks.list()).tasks).toEqual([]);
});
