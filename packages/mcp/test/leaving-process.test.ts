import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { countTool, createGate, type Gate } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, openSession, post, readUntil, resume } from "./http-endpoint.js";

/** A store that outlives the engines that are opened on it, and whose documents of a kind come when the test lets them. */
function lastingStore() {
  const store = createMemoryStore();
  const held = { kind: "", gate: createGate(), reached: createGate() };
  const hold = async (kind: string): Promise<void> => {
    if (kind !== held.kind) return;
    held.reached.open();
    await held.gate.pass();
  };
  const putDocument: Store["putDocument"] = async (request) => {
    await hold(request.kind);
    return store.putDocument(request);
  };
  const getDocument: Store["getDocument"] = async (kind, id) => {
    await hold(kind);
    return store.getDocument(kind, id);
  };
  const createTask: Store["createTask"] = async (request) => {
    await hold("task");
    return store.createTask(request);
  };
  const close = async (): Promise<void> => {};
  return { held, store: Object.assign(Object.create(store), { putDocument, getDocument, createTask, close }) as Store };
}

async function endpoint(store: Store, gate?: Gate) {
  const opened = await openEndpoint({
    tools: [countTool()],
    store,
    limits: { drainRetryMs: 9 },
    setup: (server) =>
      server.registerTool("plain", { description: "Waits." }, async () => {
        await gate?.pass();
        return { content: [] };
      }),
  });
  onTestFinished(opened.close);
  return opened;
}

/** A call whose task is being made while its process lets go of the session. */
async function callOfLeavingProcess(protocolVersion: string) {
  const { store, held } = lastingStore();
  const { url, handler } = await endpoint(store);
  const session = await openSession(url, {}, protocolVersion);
  held.kind = "task";
  const response = post(url, countTo(3), session);
  await held.reached.pass();
  await handler.close();
  held.kind = "";
  held.gate.open(2);
  return { store, session, response: await response };
}

test("G5 a call whose task is made while its process lets the session go is answered by the next process", async () => {
  const { store, session, response } = await callOfLeavingProcess("2025-11-25");
  expect(response.status).toBe(200);
  const [prime, ...rest] = await readUntil(eventsOf(response), () => false);
  expect(rest).toEqual([]);
  const next = await endpoint(store);
  const events = await readUntil(eventsOf(await resume(next.url, session, prime?.id ?? "")), () => false);
  expect(events.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3, attempts: 1 } } });
});

test("G5 a tool without tasks that began as its process let the session go is not begun again: its client hears that", async () => {
  const { store } = lastingStore();
  let begun = 0;
  const open = async () => {
    const opened = await openEndpoint({
      tools: [],
      store,
      setup: (server) =>
        server.registerTool("once", {}, async () => {
          begun += 1;
          void opened.handler.close();
          return new Promise(() => {});
        }),
    });
    onTestFinished(opened.close);
    return opened.url;
  };
  const url = await open();
  const session = await openSession(url);
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "once", arguments: {} } };
  const [prime] = await readUntil(eventsOf(await post(url, call, session)), () => false);
  const [, answer] = await readUntil(eventsOf(await resume(await open(), session, prime?.id ?? "")), () => false);
  expect(JSON.stringify(answer?.message)).toContain("OUTCOME_UNKNOWN");
  expect(begun).toBe(1);
});

test("the call of a client that understands no event without data is refused for now, and its session stays", async () => {
  const { store, session, response } = await callOfLeavingProcess("2025-06-18");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
  const next = await endpoint(store);
  const events = await readUntil(eventsOf(await post(next.url, countTo(2), session)), () => false);
  expect(events.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 2 } } });
});

test("a stream that is resumed while its process lets the session go is neither unknown nor over", async () => {
  const { store, held } = lastingStore();
  const first = await endpoint(store);
  const session = await openSession(first.url);
  const [prime] = await readUntil(eventsOf(await post(first.url, countTo(2), session)), () => false);
  const { url, handler } = await endpoint(store);
  await (await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, session)).text();
  held.kind = "session";
  const response = resume(url, session, prime?.id ?? "");
  await held.reached.pass();
  await handler.close();
  held.kind = "";
  held.gate.open();
  expect((await response).status).toBe(503);
});

test.each([
  ["lets the session go", 503],
  ["deletes the session", 404],
])("a request that is not answered when its process %s has status %i", async (_end, status) => {
  const { store } = lastingStore();
  const reached = createGate();
  const opened = await openEndpoint({
    tools: [],
    store,
    setup: (server) => {
      server.registerResource("slow", "test://slow", {}, async () => {
        reached.open();
        return new Promise(() => {});
      });
    },
  });
  onTestFinished(opened.close);
  const { url, handler } = opened;
  const session = await openSession(url);
  const read = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "test://slow" } };
  const response = post(url, read, session);
  await reached.pass();
  if (status === 503) await handler.close();
  else await fetch(url, { method: "DELETE", headers: session });
  expect((await response).status).toBe(status);
});
