import { setImmediate as nextTurn } from "node:timers/promises";
import { createMemoryStore, defineTool, ResumableError, type Store } from "@resumable-mcp/core";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { countTool, createGate } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, openForTest, openSession, post, readUntil, resume } from "./http-endpoint.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A store that outlives the engines that are opened on it. */
function lastingStore(): Store {
  return Object.assign(Object.create(createMemoryStore()), { close: async () => {} });
}

const readFailed = new ResumableError("STORE_READ_FAILED", "The store could not be read.", {
  details: { path: "/store", reason: "EIO" },
});

const cancelled = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "Request timed out" },
});

test("the cursor of a cancelled call is answered as that of a finished stream, also after a restart", async () => {
  const options = { tools: [countTool(createGate())], store: lastingStore() };
  const { url } = await openForTest(options);
  const session = await openSession(url);
  const events = eventsOf(await post(url, countTo(3), session));
  const { value: prime } = await events.next();
  expect((await post(url, cancelled(7), session)).status).toBe(202);
  expect(await readUntil(events, () => false)).toEqual([]);
  expect((await resume(url, session, prime?.id ?? "")).status).toBe(405);
  // The process before did not close: nothing that it only remembers counts.
  const next = await openForTest(options);
  expect((await resume(next.url, session, prime?.id ?? "")).status).toBe(405);
});

test("the cursor of a cancelled call of an ordinary tool is answered alike", async () => {
  const gate = createGate();
  const { url } = await openForTest({
    tools: [],
    setup: (server) =>
      server.registerTool("plain", { description: "Waits." }, async () => {
        await gate.pass();
        return { content: [] };
      }),
  });
  const session = await openSession(url);
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "plain" } };
  const events = eventsOf(await post(url, call, session));
  const { value: prime } = await events.next();
  await post(url, cancelled(7), session);
  expect((await resume(url, session, prime?.id ?? "")).status).toBe(405);
  gate.open();
});

test("G8 a call that is cancelled before its client came back after a restart stops its task, and does not go on", async () => {
  const gate = createGate();
  const options = { tools: [countTool(gate)], store: lastingStore() };
  const before = await openEndpoint(options);
  const session = await openSession(before.url);
  const events = eventsOf(await post(before.url, countTo(3), session));
  gate.open();
  const seen = await readUntil(
    events,
    ({ message }) => Reflect.get(message ?? {}, "method") === "notifications/progress",
  );
  await before.close();
  const { url, engine } = await openForTest(options);
  expect((await post(url, cancelled(7), session)).status).toBe(202);
  expect((await resume(url, session, seen.at(-1)?.id ?? "")).status).toBe(405);
  const tasks = engine.forOwner(`session:${session["mcp-session-id"]}`);
  const [task] = (await tasks.list()).tasks;
  await expect.poll(async () => (await tasks.get(task?.id ?? "")).status).toBe("paused");
});

test("G8 a call whose stream broke is cancelled by its client, and its task stops", async () => {
  const gate = createGate();
  const { url, engine } = await openForTest({ tools: [countTool(gate)] });
  const session = await openSession(url);
  const broken = eventsOf(await post(url, countTo(3), session));
  gate.open();
  const seen = await readUntil(
    broken,
    ({ message }) => Reflect.get(message ?? {}, "method") === "notifications/progress",
  );
  await broken.return();
  const tasks = engine.forOwner(`session:${session["mcp-session-id"]}`);
  const [task] = (await tasks.list()).tasks;
  await post(url, cancelled(7), session);
  await expect.poll(async () => (await tasks.get(task?.id ?? "")).status).toBe("paused");
  expect((await resume(url, session, seen.at(-1)?.id ?? "")).status).toBe(405);
});

test("G8 a call that is cancelled while it is being stored is neither carried out nor answered", async () => {
  const store = createMemoryStore();
  const { createTask } = store;
  const { url, engine } = await openForTest({ tools: [countTool()], store });
  const session = await openSession(url);
  const [writing, written] = [createGate(), createGate()];
  store.createTask = async (request) => {
    writing.open();
    await written.pass();
    return createTask(request);
  };
  const answer = post(url, countTo(3), session);
  await writing.pass();
  const cancellation = post(url, cancelled(7), session);
  // Requests that are sent later are answered: the cancellation was read.
  for (const id of [8, 9]) await (await post(url, { jsonrpc: "2.0", id, method: "ping" }, session)).text();
  written.open(100);
  expect((await cancellation).status).toBe(202);
  const messages = await readUntil(eventsOf(await answer), () => false);
  expect(messages.filter(({ message }) => message !== undefined && "result" in message)).toEqual([]);
  const { tasks } = await engine.forOwner(`session:${session["mcp-session-id"]}`).list();
  expect(tasks.filter(({ status }) => status === "running")).toEqual([]);
});

/** What four equal calls get whose client cancels each some time after its response. */
async function callsOfCanceller(afterMs: number, isLocal: boolean): Promise<readonly unknown[]> {
  const clock = performance.now.bind(performance);
  let passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => clock() + passedMs);
  let runs = 0;
  const tool = defineTool({
    name: "count_to",
    description: "Says how often it ran.",
    input: z.object({ n: z.number() }),
    output: z.object({ runs: z.number() }),
    async run() {
      runs += 1;
      return { runs };
    },
  });
  const { url } = await openForTest({ tools: [tool], isLocal });
  const session = await openSession(url);
  const results: unknown[] = [];
  for (const id of [1, 2, 3, 4]) {
    const events = await readUntil(eventsOf(await post(url, countTo(1, id), session)), () => false);
    results.push(Reflect.get(Object(events.at(-1)?.message), "result"));
    passedMs += afterMs;
    expect((await post(url, cancelled(id), session)).status).toBe(202);
  }
  return results;
}

const result = (runs: number) => ({ structuredContent: { runs }, content: [{ text: `{"runs":${runs}}` }] });

test.each([80, 300, 900])(
  "G7 a client of this machine that cancels each request %i ms after its response gets a new result by each call",
  async (afterMs) => {
    expect(await callsOfCanceller(afterMs, true)).toMatchObject([1, 2, 3, 4].map(result));
  },
);

test("G7 a distant client that does so gets one result twice, which says when it was computed, and then new ones", async () => {
  const [first, second, ...rest] = await callsOfCanceller(300, false);
  expect(first).toMatchObject(result(1));
  const before = expect.stringMatching(/^The same call came to this result before, at 20\d\d-\S+Z\.$/);
  expect(second).toMatchObject({ structuredContent: { runs: 1 }, content: [{ text: '{"runs":1}' }, { text: before }] });
  expect(rest).toMatchObject([2, 3].map(result));
});

test("G12 a cancellation that cannot be read leaves no rejection behind while it is written", async () => {
  const store = createMemoryStore();
  const { getTask, putDocument } = store;
  const { url } = await openForTest({ tools: [countTool(createGate())], store });
  const session = await openSession(url);
  await eventsOf(await post(url, countTo(3), session)).next();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  closing.push(async () => void process.off("unhandledRejection", note));
  store.getTask = () => Promise.reject(readFailed);
  store.putDocument = async (request) => {
    // By then Node has looked for rejections that nothing handles.
    await nextTurn();
    await nextTurn();
    return putDocument(request);
  };
  expect((await post(url, cancelled(7), session)).status).toBe(503);
  store.getTask = getTask;
  expect(unhandled).toEqual([]);
});

test("a refused request for the result of another owner's task does not withdraw that result", async () => {
  const { url, store } = await openForTest({ tools: [countTool()], subjects: { a: "ann", b: "ben" } });
  const ann = await openSession(url, { authorization: "Bearer a" });
  await (await post(url, countTo(1), ann)).text();
  const [task] = (await store.listTasks({ limit: 1 })).tasks;
  const taskId = task?.id ?? "";
  await vi.waitFor(async () => expect((await store.getTask(taskId))?.signals).toMatchObject([{ kind: "delivered" }]), {
    timeout: 20_000,
  });
  const ben = await openSession(url, { authorization: "Bearer b" });
  const request = { jsonrpc: "2.0", id: 7, method: "tasks/result", params: { taskId } };
  expect(await (await post(url, request, ben)).text()).toContain("TASK_NOT_FOUND");
  expect((await post(url, cancelled(7), ben)).status).toBe(202);
  expect((await store.getTask(taskId))?.signals).toMatchObject([{ kind: "delivered" }]);
});
