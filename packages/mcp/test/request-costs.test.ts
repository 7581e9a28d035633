import { createMemoryStore, defineTool, type Engine, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createGate } from "./counting-tool.js";
import { openEndpoint as open2026 } from "./endpoint-2026.js";
import {
  type EndpointOptions,
  eventsOf,
  openEndpoint,
  openForTest,
  openSession,
  post,
  readUntil,
  resume,
} from "./http-endpoint.js";

/** Says how long a text is, after its gate opens. */
const measureTool = (gate = createGate()) =>
  defineTool({
    name: "measure",
    description: "Measures a text.",
    input: z.object({ value: z.unknown() }),
    async run({ value }) {
      await gate.pass();
      return String(value).length;
    },
  });
const measure = (value: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "measure", arguments: { value }, _meta: { progressToken: "p" } },
});
const big = "x".repeat(1_000_000);

/** A store that notes how large each document is when it is put, by its kind. */
function notingStore() {
  const sizes = new Map<string, number[]>();
  const store = createMemoryStore();
  const putDocument: Store["putDocument"] = (given) => {
    sizes.set(given.kind, [...(sizes.get(given.kind) ?? []), JSON.stringify(given.value).length]);
    return store.putDocument(given);
  };
  const noted: Store = Object.assign(Object.create(store), { putDocument, close: async () => {} });
  return { store: noted, sizes };
}

const repeated = (item: string) => `[${`${item},`.repeat(Math.floor(4_190_000 / (item.length + 1)))}0]`;
const wide = `{${Array.from({ length: 300_000 }, (_, key) => `"key${key}":0`).join(",")}}`;

test.each([
  ["4 MiB of []", repeated("[]")],
  ["4 MiB of {}", repeated("{}")],
  ["4 MiB of numbers", repeated("1")],
  ["4 MiB of texts", repeated('""')],
  ["an object with many keys", wide],
  ["values and keys, one too many", `[${"0,".repeat(50_000)}0]`],
  ["values of a text that no parser takes", `[${"0,".repeat(50_001)}`],
])("G11 %s are refused before they are parsed", async (_name, value) => {
  const { url } = await openForTest({ tools: [measureTool()] });
  const session = await openSession(url);
  const text = JSON.stringify(measure(0)).replace('"value":0', `"value":${value}`);
  const refused = await post(url, text, session);
  expect([refused.status, await refused.json()]).toEqual([
    413,
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32_600,
        message: "Invalid Request: the body has more than maxJsonValues = 50000 values and keys.",
      },
    },
  ]);
});

test("G11 a call with more than maxInputBytes is refused before anything of it is stored, in either era", async () => {
  const { store, sizes } = notingStore();
  const { url } = await openForTest({ tools: [measureTool()], store });
  const session = await openSession(url);
  const puts = () => [...sizes.values()].flat().length;
  const before = puts();
  const text = "x".repeat(1_100_000);
  const refused = await post(url, measure(text), session);
  expect(await refused.json()).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: {
      content: [
        {
          type: "text",
          text: expect.stringContaining("The limit maxInputBytes is 1 MiB, and this would be 1.05 MiB."),
        },
      ],
      structuredContent: { error: { code: "LIMIT_EXCEEDED", message: expect.any(String) } },
      isError: true,
    },
  });
  // A call that is to become a task is answered with a task or an error, and with no other result.
  const asTask = { ...measure(text), params: { ...measure(text).params, task: {} } };
  expect(await (await post(url, asTask, session)).json()).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32_602, message: expect.stringContaining("maxInputBytes"), data: { code: "LIMIT_EXCEEDED" } },
  });
  expect(puts()).toBe(before);
  const later = open2026([measureTool()], store);
  onTestFinished(later.close);
  const { result } = await later.send("tools/call", { name: "measure", arguments: { value: text } });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: "LIMIT_EXCEEDED" } } });
  expect(puts()).toBe(before);
});

test("G11 an initialize request has a limit of its own, and an id has one", async () => {
  const { url } = await openForTest({ tools: [measureTool()] });
  const initialize = (padding: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { experimental: { x: { padding } } },
      clientInfo: { name: "raw", version: "1" },
    },
  });
  expect((await post(url, initialize("x".repeat(60_000)))).status).toBe(200);
  const refused = await post(url, initialize("x".repeat(65_536)));
  expect([refused.status, Reflect.get(Object(await refused.json()), "error")]).toEqual([
    413,
    { code: -32_600, message: "An initialize request may not be larger than maxInitializeBytes = 65536." },
  ]);
  const session = await openSession(url);
  for (const id of ["i".repeat(1_025), "你".repeat(400)]) {
    const tooLong = await post(url, measure("", id), session);
    expect([tooLong.status, await tooLong.text()]).toEqual([
      400,
      expect.stringContaining("limit maxRequestIdLength is 1024"),
    ]);
  }
});

test("G11 a session's document holds no copy of what its calls are made with", async () => {
  const gate = createGate();
  const { store, sizes } = notingStore();
  const { url } = await openForTest({ tools: [measureTool(gate)], store });
  const session = await openSession(url);
  const events = eventsOf(await post(url, measure(big), session));
  gate.open();
  expect((await readUntil(events, () => false)).at(-1)?.message).toMatchObject({
    id: 1,
    result: { content: [{ text: "1000000" }] },
  });
  expect(sizes.get("call-params")).toBeUndefined();
  expect(sizes.get("session")?.filter((size) => size > 2_000)).toEqual([]);
});

/** A server whose tool runs again after a restart, after its gate opens. */
function repeatableTool(gate = createGate()): Pick<EndpointOptions, "tools" | "setup"> {
  const given = { inputSchema: { value: z.string() }, annotations: { readOnlyHint: true } };
  return {
    tools: [],
    setup: (server) =>
      server.registerTool("measure", given, async ({ value }) => {
        await gate.pass();
        return { content: [{ type: "text", text: String(value.length) }] };
      }),
  };
}

test("G9 a large call that runs again after a restart is made from what was kept of it", async () => {
  const { store } = notingStore();
  const before = await openEndpoint({ ...repeatableTool(), store });
  const session = await openSession(before.url);
  const primed = await readUntil(eventsOf(await post(before.url, measure(big), session)), () => true);
  await before.close();
  const gate = createGate();
  gate.open();
  const after = await openForTest({ ...repeatableTool(gate), store });
  const rest = await readUntil(eventsOf(await resume(after.url, session, primed[0]?.id ?? "")), () => false);
  expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ text: "1000000" }] } });
  await expect.poll(keptParams(after.engine)).toEqual([]);
});

test("G9 a large call that reports progress at once runs again after a restart", async () => {
  const { store } = notingStore();
  const open = (gate = createGate()) => {
    const config = { inputSchema: { value: z.string() }, annotations: { readOnlyHint: true } };
    const setup: EndpointOptions["setup"] = (server) =>
      server.registerTool("measure", config, async ({ value }, { sendNotification }) => {
        await sendNotification({ method: "notifications/progress", params: { progressToken: "p", progress: 1 } });
        await gate.pass();
        return { content: [{ type: "text", text: String(value.length) }] };
      });
    return openForTest({ tools: [], setup, store });
  };
  const before = await open();
  const session = await openSession(before.url);
  const primed = await readUntil(eventsOf(await post(before.url, measure(big), session)), () => true);
  const gate = createGate();
  gate.open();
  const after = await open(gate);
  const rest = await readUntil(eventsOf(await resume(after.url, session, primed[0]?.id ?? "")), () => false);
  expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ text: "1000000" }] } });
});

test("G11 a large call that ends while its params are being stored leaves nothing of them", async () => {
  const { store } = notingStore();
  const [storing, ended, gate] = [createGate(), createGate(), createGate()];
  const putDocument: Store["putDocument"] = async (given) => {
    if (given.kind === "call-params") {
      storing.open();
      await ended.pass();
    }
    return store.putDocument(given);
  };
  const deleteDocument: Store["deleteDocument"] = async (kind, id) => {
    const deleted = await store.deleteDocument(kind, id);
    if (kind === "call-params") ended.open();
    return deleted;
  };
  const slow: Store = Object.assign(Object.create(store), { putDocument, deleteDocument });
  const { url, engine } = await openForTest({ ...repeatableTool(gate), store: slow });
  const session = await openSession(url);
  const response = post(url, measure(big), session);
  await storing.pass();
  gate.open();
  const seen = await readUntil(eventsOf(await response), () => false);
  expect(seen.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ text: "1000000" }] } });
  await expect.poll(keptParams(engine)).toEqual([]);
});

test("G9 a large call that was cancelled leaves nothing of its params", async () => {
  const { store } = notingStore();
  const { url, engine } = await openForTest({ ...repeatableTool(), store });
  const session = await openSession(url);
  const call = await post(url, measure(big), session);
  const events = eventsOf(call);
  await readUntil(events, () => true);
  await post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, session);
  const idleSinceMs = Date.now() + 60_000;
  const kept = () => engine.documents.listIdleDocuments({ kind: "call-params", idleSinceMs, limit: 10 });
  await expect.poll(kept).toEqual([]);
});

const keptParams = (engine: Engine) => async () =>
  (await engine.documents.listIdleDocuments({ kind: "call-params", idleSinceMs: Date.now() + 60_000, limit: 100 })).map(
    ({ id }) => id,
  );

test.each(["maxOpenCalls", "maxStreams"])("G11 no more large calls come at once than %s", async (limit) => {
  const { store } = notingStore();
  let open = () => {};
  const ready = new Promise<void>((resolve) => {
    open = resolve;
  });
  let seen = 0;
  /** All calls are refused or being stored. */
  const note = () => {
    seen += 1;
    if (seen === 20) open();
  };
  const putDocument: Store["putDocument"] = async (given) => {
    if (given.kind === "call-params") {
      note();
      await ready;
    }
    return store.putDocument(given);
  };
  const slow: Store = Object.assign(Object.create(store), { putDocument });
  const { url } = await openForTest({ ...repeatableTool(), store: slow, limits: { [limit]: 2 } });
  const session = await openSession(url);
  const calls = Array.from({ length: 20 }, (_, index) => measure("x".repeat(20_000), index + 1));
  const statuses = calls.map(async (call) => {
    const { status } = await post(url, call, session);
    if (status !== 200) note();
    return status;
  });
  expect((await Promise.all(statuses)).filter((status) => status === 200)).toHaveLength(2);
});

test("G11 the params of open calls end with their session", async () => {
  const { url, engine } = await openForTest(repeatableTool());
  const session = await openSession(url);
  for (const id of [1, 2]) expect((await post(url, measure("x".repeat(20_000 + id), id), session)).status).toBe(200);
  expect(await keptParams(engine)()).toHaveLength(2);
  expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
  await expect.poll(keptParams(engine)).toEqual([]);
});

test("G9 a call whose params cannot be read is not made with others", async () => {
  const { store } = notingStore();
  const before = await openEndpoint({ ...repeatableTool(), store });
  const session = await openSession(before.url);
  const primed = await readUntil(eventsOf(await post(before.url, measure(big), session)), () => true);
  const [id = ""] = await keptParams(before.engine)();
  await before.close();
  await store.deleteDocument("call-params", id);
  const after = await openForTest({ ...repeatableTool(), store });
  expect((await resume(after.url, session, primed[0]?.id ?? "")).status).toBe(405);
});
