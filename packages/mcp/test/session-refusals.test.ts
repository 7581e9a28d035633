import { createEngine, createMemoryStore, ResumableError, type Store } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { describe, expect, test } from "vitest";
import { createSessionHandler } from "../src/index.js";
import { limits } from "../src/limits.js";
import { countTool, createGate } from "./counting-tool.js";
import { countTo, eventsOf, openForTest, openSession, post, readUntil, resume } from "./http-endpoint.js";

const initializeParams = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

describe("refused with the right status", () => {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  test("unknown, missing and foreign sessions", async () => {
    const { url } = await openForTest({ tools: [countTool()], subjects: { a: "alice", b: "bob" } });
    const alice = await openSession(url, { authorization: "Bearer a" });
    expect((await post(url, request, { ...alice, authorization: "Bearer b" })).status).toBe(404);
    expect((await post(url, request, { "mcp-session-id": alice["mcp-session-id"] ?? "" })).status).toBe(404);
    expect((await post(url, request, { "mcp-session-id": "x".repeat(32) })).status).toBe(404);
    expect((await post(url, request, { "mcp-session-id": "../../etc" })).status).toBe(404);
    expect((await post(url, request)).status).toBe(400);
    expect((await post(url, request, alice)).status).toBe(200);
  });

  test("G10 tokens that do not say which user they are of, by whatever the server's author checks tokens", async () => {
    const { url } = await openForTest({ tools: [countTool()], subjects: { a: 1001, b: "bob" } });
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams };
    expect((await post(url, initialize, { authorization: "Bearer a" })).status).toBe(401);
    const bob = await openSession(url, { authorization: "Bearer b" });
    expect((await post(url, request, { ...bob, authorization: "Bearer a" })).status).toBe(401);
  });

  test("what a store that fails for a while cannot take: it is to be repeated", async () => {
    const store = createMemoryStore();
    const disk = { full: true };
    const putDocument: Store["putDocument"] = async (given) => {
      const details = { path: "documents", reason: "ENOSPC" };
      if (disk.full) throw new ResumableError("STORE_WRITE_FAILED", "The disk is full.", { details });
      return store.putDocument(given);
    };
    const { url } = await openForTest({
      tools: [countTool()],
      store: Object.assign(Object.create(store), { putDocument }),
    });
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams };
    const refused = await post(url, initialize);
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      503,
      "2",
      { jsonrpc: "2.0", id: null, error: { code: -32000, message: expect.stringContaining("Try again later.") } },
    ]);
    disk.full = false;
    expect((await post(url, initialize)).status).toBe(200);
  });

  test("bodies that are no message", async () => {
    const { url } = await openForTest({ tools: [countTool()], limits: { maxBodyBytes: 1000 } });
    const session = await openSession(url);
    const status = async (body: unknown, headers = {}) => (await post(url, body, { ...session, ...headers })).status;
    expect(await status("{")).toBe(400);
    expect(await status({ id: 1, method: "ping" })).toBe(400);
    expect(await status([request, request])).toBe(400);
    expect(await status({ ...request, params: [] })).toBe(400);
    expect(await status({ ...request, params: { pad: "x".repeat(1000) } })).toBe(413);
    expect(await status(request, { "content-type": "text/plain" })).toBe(415);
    for (const charset of ["utf-16", '"iso-8859-1"', "utf-8; charset=utf-7"])
      expect(await status(request, { "content-type": `application/json;charset=${charset}` })).toBe(415);
    for (const charset of ["utf-8", "UTF8", '"utf-8"', "utf-8; x=y"])
      expect(await status(request, { "content-type": `application/json; Charset=${charset}` })).toBe(200);
    expect(await status(request, { "content-encoding": "gzip" })).toBe(415);
    expect(await status(request, { "content-encoding": "identity" })).toBe(200);
    expect(await status(request, { accept: "application/json" })).toBe(406);
    expect(await status(request, { "mcp-protocol-version": "1999-01-01" })).toBe(400);
    expect((await fetch(url, { method: "PUT" })).status).toBe(405);
  });

  test("a standalone stream over the limit of streams; a newer one replaces an older one", async () => {
    const gate = createGate();
    const { url } = await openForTest({ tools: [countTool(gate)], limits: { maxStreams: 1 } });
    const [listening, calling] = [await openSession(url), await openSession(url)];
    const listen = (session: Record<string, string>) =>
      fetch(url, { headers: { accept: "text/event-stream", ...session } });
    expect([(await listen(listening)).status, (await listen(listening)).status]).toEqual([200, 200]);
    expect((await post(url, countTo(2), listening)).status).toBe(429);
    const call = await post(url, countTo(2), calling);
    const refused = await listen(calling);
    expect([call.status, refused.status, await refused.text()]).toEqual([
      200,
      429,
      expect.stringContaining("maxStreams = 1"),
    ]);
    gate.open(2);
    await readUntil(eventsOf(call), () => false);
  });

  test("malformed, foreign and invented event ids", async () => {
    const { url } = await openForTest({ tools: [countTool()] });
    const [mine, other] = [await openSession(url), await openSession(url)];
    const events = await readUntil(eventsOf(await post(url, countTo(1), mine)), () => false);
    const last = events.at(-1)?.id ?? "";
    const stream = last.split(".")[0];
    expect((await resume(url, mine, "what")).status).toBe(400);
    expect((await resume(url, mine, `${stream}.-1`)).status).toBe(400);
    expect((await resume(url, mine, `${stream}.999`)).status).toBe(400);
    expect((await resume(url, mine, "abcdefghijklmnopqrstuv.1")).status).toBe(405);
    expect((await resume(url, other, last)).status).toBe(405);
    expect((await resume(url, mine, last)).status).toBe(405);
  });

  test("an event id that its own session may resume, from another session (G10)", async () => {
    const { url } = await openForTest({ tools: [countTool(createGate())] });
    const [mine, other] = [await openSession(url), await openSession(url)];
    const events = eventsOf(await post(url, countTo(2), mine));
    const id = (await events.next()).value?.id ?? "";
    await events.return();
    expect([(await resume(url, other, id)).status, (await resume(url, mine, id)).status]).toEqual([405, 200]);
  });

  test("a session that was ended", async () => {
    const { url } = await openForTest({ tools: [countTool()] });
    const session = await openSession(url);
    expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await post(url, request, session)).status).toBe(404);
  });
});

test("sessions that were forgotten count no longer against the limit of their owner (G11)", async () => {
  const limits = { maxSessionsPerOwner: 1, sessionTtlMs: 0, idleMs: 0, sweepEveryMs: 10 };
  const { url } = await openForTest({ tools: [countTool()], limits });
  await openSession(url);
  const message = { jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams };
  await expect.poll(async () => (await post(url, message)).status).toBe(200);
});

test("callers without a token are counted by the network that they come from, where it is known (G11)", async () => {
  const { handler } = await openForTest({
    tools: [countTool()],
    limits: { maxSessionsPerAddress: 2, maxSessionsPerOwner: 1 },
  });
  const open = async (network?: string) => {
    const request = new Request("http://localhost/mcp", {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams }),
    });
    const answer = await handler.fetch(request, { network });
    return answer.status === 200 ? 200 : /limit (\w+ = \d+)/.exec(await answer.text())?.[1];
  };
  expect([await open("192.0.2.1"), await open("192.0.2.1"), await open("192.0.2.1")]).toEqual([
    200,
    200,
    "maxSessionsPerAddress = 2",
  ]);
  expect([await open("192.0.2.2"), await open(), await open()]).toEqual([200, 200, "maxSessionsPerOwner = 1"]);
});

test("two processes let an owner open as many sessions as one, of 60 at the same moment (G11)", async () => {
  const limits = { maxSessionsPerOwner: 5 };
  const store = createMemoryStore();
  const subjects = { a: "alice", b: "bob" };
  const first = await openForTest({ tools: [countTool()], limits, subjects, store });
  const second = await openForTest({ tools: [countTool()], limits, subjects, store: store.anotherProcess() });
  const open = (url: string, token: string) =>
    post(
      url,
      { jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams },
      { authorization: `Bearer ${token}` },
    );
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => open(index % 2 === 0 ? first.url : second.url, "a")),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(200), count(429)]).toEqual([5, 55]);
  expect((await open(second.url, "b")).status).toBe(200);
  const [opened] = answers.filter(({ status }) => status === 200);
  const session = { authorization: "Bearer a", "mcp-session-id": opened?.headers.get("mcp-session-id") ?? "" };
  expect((await fetch(second.url, { method: "DELETE", headers: session })).status).toBe(200);
  expect((await open(second.url, "a")).status).toBe(200);
});

test("a session has as many open calls as it may have, of 60 that come at the same moment (G11)", async () => {
  const store = createMemoryStore();
  let writing = Promise.resolve();
  const createTask: Store["createTask"] = (given) => writing.then(() => store.createTask(given));
  const slow: Store = Object.assign(Object.create(store), { createTask });
  const { url } = await openForTest({ tools: [countTool()], limits: { maxOpenCalls: 5 }, store: slow });
  const session = await openSession(url);
  let write = () => {};
  writing = new Promise((resolve) => {
    write = resolve;
  });
  const statuses: number[] = [];
  const calls = Array.from({ length: 60 }, async (_, index) => {
    const answer = await post(url, countTo(1, index + 1), session);
    statuses.push(answer.status);
    await answer.text();
  });
  await expect.poll(() => statuses.length).toBe(55);
  write();
  await Promise.all(calls);
  expect(statuses).toEqual([...Array(55).fill(429), ...Array(5).fill(200)]);
});

test("a session that cannot be rebuilt keeps no other from being written down when the server stops (G12)", async () => {
  const store = createMemoryStore();
  const first = await openForTest({ tools: [countTool()], store });
  const session = await openSession(first.url);
  const engine = createEngine({ store: store.anotherProcess(), tools: [countTool()] });
  let fail: (error: Error) => void = () => {};
  const server = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const begun = createGate();
  const handler = createSessionHandler({
    engine,
    createServer() {
      begun.open();
      return server;
    },
  });
  const headers = { ...session, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const answer = handler.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
  await begun.pass();
  const closed = handler.close();
  fail(new Error("no server"));
  await expect(closed).resolves.toBeUndefined();
  expect((await answer).status).toBe(500);
  await engine.close();
});

test("a request that the server behind would not answer is refused, and holds no stream", async () => {
  const { url } = await openForTest({ tools: [countTool()], limits: { maxOpenCalls: 1 } });
  const session = await openSession(url);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "count_to", arguments: { n: 1 } } };
  const malformed = [
    { ...call, params: { ...call.params, _meta: { progressToken: {} } } },
    { ...call, params: { ...call.params, _meta: 5 } },
    { ...call, params: { ...call.params, name: { toString: 1 } } },
    { ...call, more: true },
  ];
  for (const message of malformed) expect((await post(url, message, session)).status).toBe(400);
  expect(await (await post(url, call, session)).text()).toContain('"counted":1');
});

test("keys that only the transport may set are taken out of what a client sends", async () => {
  const { url, engine } = await openForTest({ tools: [countTool()] });
  const session = await openSession(url);
  const wanted = "a_call_id_of_my_own_choice";
  await readUntil(eventsOf(await post(url, countTo(1, 1, { [metaKeys.callId]: wanted }), session)), () => false);
  expect(await engine.readTask(wanted)).toBeUndefined();
});

test("a subscription that the session could not keep is refused, and says which limit it meets (G11)", async () => {
  const { url } = await openForTest({ tools: [countTool()] });
  const session = await openSession(url);
  const subscribe = async (uri: string, id: number) => {
    const message = { jsonrpc: "2.0", id, method: "resources/subscribe", params: { uri } };
    const answer: unknown = await (await post(url, message, session)).json();
    const { result, error = {} }: { result?: unknown; error?: { message?: unknown } } = Object(answer);
    return result ?? error.message;
  };
  const long = `task://${"x".repeat(1_018)}`;
  expect(await subscribe(long, 1)).toBe("The URI has 1025 characters; the limit maxKeptParamLength is 1024.");
  const { maxSubscriptionsPerSession: max } = limits;
  const uris = Array.from({ length: max }, (_, index) => `resumable://tasks/${index + 1}`);
  expect(await Promise.all(uris.map(subscribe))).toEqual(uris.map(() => ({})));
  expect(await subscribe("resumable://tasks/more", 101)).toContain(`its limit maxSubscriptionsPerSession = ${max}.`);
  expect(await subscribe("resumable://tasks/1", 102)).toEqual({});
});
