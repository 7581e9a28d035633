import { setImmediate as nextTurn } from "node:timers/promises";
import { ElicitRequestSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { createMemoryStore } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import {
  connectClient,
  countTo,
  type EndpointOptions,
  eventsOf,
  openEndpoint,
  openSession,
  post,
  readUntil,
  resume,
  type StreamEvent,
} from "./http-endpoint.js";

async function endpoint(options: EndpointOptions) {
  const opened = await openEndpoint(options);
  onTestFinished(opened.close);
  return opened;
}
async function client(url: string, options = {}) {
  const connected = await connectClient(url, options);
  onTestFinished(() => connected.client.close());
  return connected;
}

const progressOf = (events: readonly StreamEvent[]) =>
  events.flatMap(({ message }) => {
    const params = Reflect.get(message ?? {}, "params") as { progress?: number } | undefined;
    return params?.progress ?? [];
  });

test("a stock client calls a long tool and gets progress and result", async () => {
  const { url } = await endpoint({ tools: [countTool()] });
  const { client: stock } = await client(url);
  const seen: number[] = [];
  const onprogress = ({ progress }: Progress) => void seen.push(progress);
  const result = await stock.callTool({ name: "count_to", arguments: { n: 4 } }, undefined, { onprogress });
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(result).toMatchObject({ structuredContent: { counted: 4 } });
});

test("a request that calls nothing is answered on a stream where the server says something before", async () => {
  const gate = createGate();
  const { url } = await endpoint({
    tools: [],
    setup: (server) =>
      server.registerPrompt("tell", {}, async ({ sendNotification }) => {
        const params = { level: "info" as const, data: "first" };
        await sendNotification({ method: "notifications/message", params });
        await gate.pass();
        return { messages: [] };
      }),
  });
  const session = await openSession(url);
  const request = { jsonrpc: "2.0", id: 5, method: "prompts/get", params: { name: "tell" } };
  const events = eventsOf(await post(url, request, session));
  const before = await readUntil(events, ({ message }) => message?.method === "notifications/message");
  gate.open();
  const after = await readUntil(events, () => false);
  expect([before, after].map((seen) => seen.at(-1)?.message)).toMatchObject([
    { params: { data: "first" } },
    { id: 5, result: { messages: [] } },
  ]);
});

describe("a stream that broke", () => {
  test("continues from the cursor, primed at once, without gap or repeat", async () => {
    const gate = createGate();
    const { url } = await endpoint({ tools: [countTool(gate)] });
    const session = await openSession(url);
    const abort = new AbortController();
    const first = await fetch(url, {
      method: "POST",
      signal: abort.signal,
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...session },
      body: JSON.stringify(countTo(3)),
    });
    const events = eventsOf(first);
    const { value: prime } = await events.next();
    expect(prime).toEqual({ id: expect.stringMatching(/^journal_[A-Za-z0-9_-]+\.0$/) });
    gate.open();
    const before = await readUntil(events, (event) => progressOf([event]).length > 0);
    abort.abort();
    const last = before.at(-1)?.id ?? "";
    const again = eventsOf(await resume(url, session, last));
    expect((await again.next()).value).toEqual({ id: last });
    gate.open(2);
    const rest = await readUntil(again, () => false);
    expect([...progressOf(before), ...progressOf(rest)]).toEqual([1, 2, 3]);
    expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3, attempts: 1 } } });
    expect((await resume(url, session, rest.at(-1)?.id ?? "")).status).toBe(405);
  });

  test("is taken over while the old one is half open", async () => {
    const gate = createGate();
    const { url } = await endpoint({ tools: [countTool(gate)] });
    const session = await openSession(url);
    const old = eventsOf(await post(url, countTo(2), session));
    const { value: prime } = await old.next();
    const fresh = eventsOf(await resume(url, session, prime?.id ?? ""));
    expect((await fresh.next()).value).toEqual(prime);
    gate.open(2);
    expect(progressOf(await readUntil(fresh, () => false))).toEqual([1, 2]);
    expect(await readUntil(old, () => false)).toEqual([]);
  });

  test("a call that joined another call's task finds it again, though its result was delivered", async () => {
    const gate = createGate();
    const { url, store } = await endpoint({ tools: [countTool(gate)] });
    const session = await openSession(url);
    const one = eventsOf(await post(url, countTo(2, 1), session));
    await one.next();
    const two = eventsOf(await post(url, countTo(2, 2), session));
    const { value: prime } = await two.next();
    gate.open();
    await readUntil(two, (event) => progressOf([event]).length > 0);
    gate.open();
    const [, ends] = await Promise.all([readUntil(one, () => false), readUntil(two, () => false)]);
    expect(ends.at(-1)?.message).toMatchObject({ id: 2 });
    const replayed = await readUntil(eventsOf(await resume(url, session, prime?.id ?? "")), () => false);
    expect(replayed.at(-1)?.message).toEqual(ends.at(-1)?.message);
    expect((await store.countTasks({})).total).toBe(1);
  });

  test("an ordinary tool's messages are sent again within the process, and it runs once", async () => {
    const gate = createGate();
    let runs = 0;
    const { url } = await endpoint({
      tools: [countTool()],
      setup: (server) =>
        server.registerTool("plain", { description: "Plain." }, async () => {
          runs += 1;
          await gate.pass();
          return { content: [{ type: "text", text: "done" }] };
        }),
    });
    const session = await openSession(url);
    const call = { jsonrpc: "2.0", id: "x", method: "tools/call", params: { name: "plain" } };
    const old = await post(url, call, session);
    const events = eventsOf(old);
    const { value: prime } = await events.next();
    await events.return();
    gate.open();
    const again = await readUntil(eventsOf(await resume(url, session, prime?.id ?? "")), () => false);
    expect(again.at(-1)?.message).toMatchObject({ id: "x", result: { content: [{ text: "done" }] } });
    expect(runs).toBe(1);
    expect((await resume(url, session, again.at(-1)?.id ?? "")).status).toBe(405);
  });
});

test("cancelling a request stops its task; the same call continues", async () => {
  const gate = createGate();
  const { url, engine } = await endpoint({ tools: [countTool(gate)] });
  const { client: stock } = await client(url);
  const clientId = "6731a09a9cac4ba4f8d3e1f8309bed7f";
  const _meta = { [metaKeys.clientId]: clientId };
  const abort = new AbortController();
  const call = { name: "count_to", arguments: { n: 3 }, _meta };
  gate.open();
  const first = stock.callTool(call, undefined, { signal: abort.signal, onprogress: () => abort.abort("enough") });
  await expect(first).rejects.toThrow();
  const tasks = engine.forOwner(`client:${clientId}`);
  const [task] = (await tasks.list()).tasks;
  expect((await tasks.wait(task?.id ?? "")).reason).toBe("paused");
  gate.open(3);
  expect(await stock.callTool(call)).toMatchObject({ structuredContent: { counted: 3, attempts: 2 } });
});

test("a question reaches the user, and the answer the tool", async () => {
  const { url } = await endpoint({ tools: [greetTool] });
  const { client: stock } = await client(url, { capabilities: { elicitation: {} } });
  stock.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept" as const, content: { name: "Ada" } }));
  expect(await stock.callTool({ name: "greet_user" })).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a session that was idle is rebuilt from the store, with the log level it had", async () => {
  const { url } = await endpoint({ tools: [countTool()], limits: { idleMs: -1, sweepEveryMs: 5 } });
  const session = await openSession(url);
  await post(url, { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "error" } }, session);
  const levels = [];
  for (let round = 0; round < 3; round++) {
    const events = await readUntil(eventsOf(await post(url, countTo(1 + round, 2 + round), session)), () => false);
    levels.push(
      events.filter(({ message }) => Reflect.get(message ?? {}, "method") === "notifications/message").length,
    );
    expect(events.at(-1)?.message).toMatchObject({ id: 2 + round, result: {} });
  }
  expect(levels).toEqual([0, 0, 0]);
});

test("a call that comes while its session goes to the store is answered all the same", async () => {
  const store = createMemoryStore();
  let isHeld = false;
  const [held, released] = [createGate(), createGate()];
  const { url } = await endpoint({
    tools: [countTool()],
    limits: { idleMs: -1, sweepEveryMs: 5 },
    store: {
      ...store,
      async putDocument(request) {
        if (isHeld) {
          held.open();
          await released.pass();
        }
        return store.putDocument(request);
      },
    },
  });
  const session = await openSession(url);
  isHeld = true;
  // Brings it back; then the next sweep writes it down.
  await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, session);
  await held.pass();
  const answering = post(url, countTo(1, 2), session);
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  isHeld = false;
  released.open();
  const events = await readUntil(eventsOf(await answering), () => false);
  expect(events.at(-1)?.message).toMatchObject({ id: 2, result: {} });
});

test("a client of an older version is not primed with an event that it cannot read", async () => {
  const { url } = await endpoint({ tools: [countTool()] });
  const session = await openSession(url, {}, "2025-03-26");
  const events = await readUntil(eventsOf(await post(url, countTo(1), session)), () => false);
  expect(events.every(({ message }) => message !== undefined)).toBe(true);
});
