import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, post, readUntil, resume, type StreamEvent } from "./http-endpoint.js";

/** A store that outlives the engines that are opened on it. */
function lastingStore(): Store {
  return Object.assign(Object.create(createMemoryStore()), { close: async () => {} });
}

const progressOf = (events: readonly StreamEvent[]) =>
  events.flatMap(({ message }) => Reflect.get(Object(Reflect.get(message ?? {}, "params")), "progress") ?? []);
const isResponse = ({ message }: StreamEvent) => message !== undefined && "result" in message;
/** A stream that stays open never comes there. */
const toItsEnd = () => false;
const isProgress = (event: StreamEvent) => progressOf([event]).length > 0;

/** An endpoint that replays across streams, which a test can start again on the same store. */
function served(version: string) {
  const gate = createGate();
  const store = lastingStore();
  const start = async (at = store) => {
    const opened = await openEndpoint({ tools: [countTool(gate)], store: at, crossStreamReplay: true });
    onTestFinished(opened.close);
    return opened.url;
  };
  const initialize = async (url: string) => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const response = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    const session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
    const [event] = await readUntil(eventsOf(response), () => false);
    expect(event?.message).toMatchObject({ id: 0, result: { protocolVersion: version } });
    await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
    return { session, cursor: event?.id ?? "" };
  };
  return { gate, store, start, initialize };
}

/** Continues with the server that the client knew, or with the next one on its store. */
const servers = [
  { server: "the same server", restart: false },
  { server: "a server that was started again", restart: true },
];

describe.each(["2025-11-25", "2025-06-18"])(
  "with cross-stream replay a client of %s that died in a call gets the result from",
  (version) => {
    test.each(servers)(
      "the cursor of the call, with what the call's stream sent after it: $server",
      async ({ restart }) => {
        const { gate, start, initialize } = served(version);
        const url = await start();
        const { session } = await initialize(url);
        const events = eventsOf(await post(url, countTo(3), session));
        gate.open();
        const seen = await readUntil(events, isProgress);
        await events.return();
        const next = restart ? await start() : url;
        const again = eventsOf(await resume(next, session, seen.at(-1)?.id ?? ""));
        gate.open(2);
        const rest = await readUntil(again, toItsEnd);
        expect(progressOf([...seen, ...rest])).toEqual([1, 2, 3]);
        expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3 } } });
      },
    );

    test.each(servers)(
      "the cursor of initialize, with all that the call's stream sent: $server",
      async ({ restart }) => {
        const { gate, start, initialize } = served(version);
        const url = await start();
        const { session, cursor } = await initialize(url);
        const events = eventsOf(await post(url, countTo(3), session));
        gate.open();
        await readUntil(events, isProgress);
        await events.return();
        const next = restart ? await start() : url;
        const again = eventsOf(await resume(next, session, cursor));
        gate.open(2);
        const rest = await readUntil(again, toItsEnd);
        expect(progressOf(rest)).toEqual([1, 2, 3]);
        expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3 } } });
      },
    );

    test.each(servers)(
      "the cursor of initialize, before the call's stream sent anything: $server",
      async ({ restart }) => {
        const { gate, start, initialize } = served(version);
        const url = await start();
        const { session, cursor } = await initialize(url);
        await (await post(url, countTo(1), session)).body?.cancel();
        const next = restart ? await start() : url;
        const again = eventsOf(await resume(next, session, cursor));
        gate.open();
        expect((await readUntil(again, toItsEnd)).at(-1)?.message).toMatchObject({ id: 7, result: {} });
      },
    );
  },
);

test("the cursor of initialize brings the result of a call whose process died as soon as its task was durable", async () => {
  const { gate, store, start, initialize } = served("2025-11-25");
  let die = (): void => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const dying: Store = Object.assign(Object.create(store), {
    async createTask(request: Parameters<Store["createTask"]>[0]) {
      await store.createTask(request);
      die();
      return new Promise(() => {});
    },
  });
  const first = await start(dying);
  const { session, cursor } = await initialize(first);
  void post(first, countTo(1), session).catch(() => {});
  await died;
  gate.open();
  const again = eventsOf(await resume(await start(), session, cursor));
  expect((await readUntil(again, toItsEnd)).at(-1)?.message).toMatchObject({ id: 7, result: {} });
});

test.each(servers)(
  "from an event of the standalone stream comes what other streams sent after it, and no more: $server",
  async ({ restart }) => {
    const { gate, start, initialize } = served("2025-11-25");
    const url = await start();
    const { session } = await initialize(url);
    gate.open();
    const before = await readUntil(eventsOf(await post(url, countTo(1, 6), session)), () => false);
    expect(before.at(-1)?.message).toMatchObject({ id: 6 });
    const call = eventsOf(await post(url, countTo(3), session));
    gate.open();
    await readUntil(call, isProgress);
    const standalone = eventsOf(await fetch(url, { headers: { accept: "text/event-stream", ...session } }));
    const { value: prime } = await standalone.next();
    gate.open();
    await readUntil(call, isProgress);
    await Promise.all([standalone.return(), call.return()]);
    const next = restart ? await start() : url;
    const again = eventsOf(await resume(next, session, prime?.id ?? ""));
    gate.open();
    const rest = await readUntil(again, isResponse);
    expect(progressOf(rest)).toEqual([2, 3]);
    expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3 } } });
  },
);

test("the result that another stream was sent, and its client may not have got, comes from a finished call too", async () => {
  const { gate, start, initialize } = served("2025-11-25");
  const url = await start();
  const { session, cursor } = await initialize(url);
  gate.open(2);
  for (const id of [6, 7]) await (await post(url, countTo(1, id), session)).text();
  const again = eventsOf(await resume(await start(), session, cursor));
  const answers = (await readUntil(again, toItsEnd)).filter(isResponse);
  const ids = answers.map(({ message }) => Reflect.get(message ?? {}, "id"));
  expect(ids.toSorted()).toEqual([6, 7]);
});

test("without cross-stream replay initialize has no event id, and a cursor brings its own stream alone", async () => {
  const gate = createGate();
  const { url, close } = await openEndpoint({ tools: [countTool(gate)] });
  onTestFinished(close);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const opened = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  expect(opened.headers.get("content-type")).toBe("application/json");
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const [one, two] = [
    eventsOf(await post(url, countTo(1, 1), session)),
    eventsOf(await post(url, countTo(2, 2), session)),
  ];
  const { value: prime } = await one.next();
  await two.next();
  await one.return();
  const again = eventsOf(await resume(url, session, prime?.id ?? ""));
  gate.open(3);
  const answers = (await readUntil(again, toItsEnd)).filter(isResponse);
  expect(answers.map(({ message }) => Reflect.get(message ?? {}, "id"))).toEqual([1]);
  await two.return();
});

test("a session that its client ends leaves no order of streams behind", async () => {
  const store = lastingStore();
  const { url, close } = await openEndpoint({ tools: [countTool()], store, crossStreamReplay: true });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const opened = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await (await post(url, countTo(1), session)).text();
  const idle = (kind: string) => store.listIdleDocuments({ kind, idleSinceMs: Number.MAX_SAFE_INTEGER, limit: 9 });
  const kept = async () => [(await idle("session")).length, (await idle("stream-order")).length];
  expect(await kept()).toEqual([1, 1]);
  expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
  await close();
  expect(await kept()).toEqual([0, 0]);
});
