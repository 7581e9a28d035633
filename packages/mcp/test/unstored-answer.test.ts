import { createEngine, createMemoryStore, ResumableError, type Store } from "@resumable-mcp/core";
import { afterEach, expect, test, vi } from "vitest";
import { limits } from "../src/limits.js";
import { serveStdioEras } from "../src/stdio/index.js";
import { greetTool } from "./counting-tool.js";
import { eventsOf, openEndpoint, openSession, post, readUntil, resume, type StreamEvent } from "./http-endpoint.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A store on a disk that has no room for answers until the test makes some. */
function fullStore() {
  const store = createMemoryStore();
  const disk = { full: true };
  const signal: Store["signal"] = async (taskId, given) => {
    if (disk.full && given.kind === "answer") {
      const details = { path: "signals", reason: "ENOSPC" };
      throw new ResumableError("STORE_WRITE_FAILED", "The disk is full.", { details });
    }
    return store.signal(taskId, given);
  };
  return { disk, store: Object.assign(Object.create(store), { signal }) as Store };
}

const request = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
const call = { name: "greet_user", arguments: {} };
const ada = { action: "accept", content: { name: "Ada" } };
const hello = { content: [{ type: "text", text: "Hello, Ada!" }] };
const asks = ({ message }: StreamEvent) => Reflect.get(message ?? {}, "method") === "elicitation/create";
const idOf = (event: StreamEvent | undefined) => Reflect.get(event?.message ?? {}, "id");

/** A session whose client was asked, and whose answer the disk did not take. */
async function askedInVain(method: "tools/call" | "tasks/result") {
  const { disk, store } = fullStore();
  const { url, close } = await openEndpoint({ tools: [greetTool], store, limits: { askAgainMs: 20 } });
  closing.push(close);
  const session = await openSession(url, {}, "2025-11-25", { elicitation: {} });
  let params: object = call;
  if (method === "tasks/result") {
    const text = await (await post(url, request(1, "tools/call", { ...call, task: {} }), session)).text();
    params = { taskId: /"taskId":"([^"]+)"/.exec(text)?.[1] };
  }
  const events = eventsOf(await post(url, request(2, method, params), session));
  const asked = (await readUntil(events, asks)).at(-1);
  const answer = { jsonrpc: "2.0", id: idOf(asked), result: ada };
  expect((await post(url, answer, session)).status).toBe(503);
  return { url, session, events, asked, answer, disk };
}

test.each(["tools/call", "tasks/result"] as const)(
  "G9.3 a question whose answer met a full disk is shown again under its id, and takes the next answer: %s",
  async (method) => {
    const { url, session, events, asked, answer, disk } = await askedInVain(method);
    expect((await readUntil(events, asks)).at(-1)?.message).toEqual(asked?.message);
    expect((await post(url, answer, session)).status).toBe(503);
    expect((await readUntil(events, asks)).at(-1)?.message).toEqual(asked?.message);
    disk.full = false;
    expect((await post(url, answer, session)).status).toBe(202);
    expect((await readUntil(events, () => false)).at(-1)?.message).toMatchObject({ id: 2, result: hello });
  },
);

test("G9 it is shown again on the stream with which the client comes back meanwhile", async () => {
  const { url, session, events, asked, answer, disk } = await askedInVain("tools/call");
  await events.return();
  const again = eventsOf(await resume(url, session, asked?.id ?? ""));
  expect((await readUntil(again, asks)).at(-1)?.message).toEqual(asked?.message);
  disk.full = false;
  expect((await post(url, answer, session)).status).toBe(202);
  expect((await readUntil(again, () => false)).at(-1)?.message).toMatchObject({ id: 2, result: hello });
});

test("G9.3 answer_task says that the answer was not stored, and takes it when there is room", async () => {
  const { disk, store } = fullStore();
  const { url, close } = await openEndpoint({ tools: [greetTool], store });
  closing.push(close);
  const session = await openSession(url);
  const ask = async (id: number, params: object) => {
    const events = await readUntil(eventsOf(await post(url, request(id, "tools/call", params), session)), () => false);
    return events.at(-1)?.message;
  };
  const shown = await ask(1, call);
  const { task_id } = Reflect.get(Object(Reflect.get(shown ?? {}, "result")), "structuredContent");
  const answer = { name: "answer_task", arguments: { task_id, key: "name", ...ada } };
  expect(await ask(2, answer)).toMatchObject({ result: { isError: true } });
  disk.full = false;
  expect(await ask(3, answer)).not.toMatchObject({ result: { isError: true } });
  expect(await ask(4, call)).toMatchObject({ result: { content: [...hello.content, { type: "text" }] } });
});

/** A client over stdio, in whose place the test writes and reads messages. */
function stdio(store: Store) {
  const engine = createEngine({ store, tools: [greetTool] });
  const written: Record<string, unknown>[] = [];
  const connection = serveStdioEras({
    definition: { name: "test", version: "1", tools: [greetTool] },
    engine,
    write: async (message) => void written.push({ ...message }),
    onError: () => {},
  });
  closing.push(() => engine.close(), connection.close);
  const until = async (wanted: (message: Record<string, unknown>) => boolean) => {
    await vi.waitFor(() => expect(written.some(wanted)).toBe(true), { timeout: 60_000 });
    return written.splice(0, written.findIndex(wanted) + 1).at(-1) ?? {};
  };
  const send = (message: object) => connection.receive({ jsonrpc: "2.0", ...message });
  return { send, until };
}

test("G9 over stdio a question whose answer met a full disk is shown again, and takes the next answer", async () => {
  const { disk, store } = fullStore();
  const { send, until } = stdio(store);
  const info = { protocolVersion: "2025-11-25", clientInfo: { name: "raw", version: "1" } };
  await send(request(1, "initialize", { ...info, capabilities: { elicitation: {} } }));
  await until(({ id }) => id === 1);
  await send({ method: "notifications/initialized" });
  await send(request(2, "tools/call", call));
  const isQuestion = ({ method }: Record<string, unknown>) => method === "elicitation/create";
  const { id, params } = await until(isQuestion);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  await send({ id, result: ada });
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { timeout: 60_000 });
  disk.full = false;
  await vi.advanceTimersByTimeAsync(limits.askAgainMs);
  const again = await until(isQuestion);
  expect(again.params).toEqual(params);
  await send({ id: again.id, result: ada });
  expect(await until((message) => message.id === 2)).toMatchObject({ result: hello });
});

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};

test("G9 a call of the 2026 era whose inputResponses met a full disk asks again", async () => {
  const { disk, store } = fullStore();
  const { send, until } = stdio(store);
  await send(request(1, "tools/call", { ...call, _meta }));
  const first = Object((await until(({ id }) => id === 1)).result);
  expect(first).toMatchObject({ resultType: "input_required", inputRequests: { name: {} } });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const { requestState } = first;
  await send(request(2, "tools/call", { ...call, _meta, requestState, inputResponses: { name: ada } }));
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { timeout: 60_000 });
  disk.full = false;
  await vi.advanceTimersByTimeAsync(limits.askAgainMs);
  const second = Object((await until(({ id }) => id === 2)).result);
  expect(second).toMatchObject({ resultType: "input_required", inputRequests: first.inputRequests });
  const state = second.requestState;
  await send(request(3, "tools/call", { ...call, _meta, requestState: state, inputResponses: { name: ada } }));
  expect((await until(({ id }) => id === 3)).result).toMatchObject(hello);
});
