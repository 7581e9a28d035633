import { createMemoryStore } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import {
  countTo,
  type EndpointOptions,
  eventsOf,
  openEndpoint,
  openSession,
  post,
  readUntil,
  resume,
  type StreamEvent,
  taskOfEvent,
} from "./http-endpoint.js";

/** Two servers over one store, as two replicas behind one address. */
async function openReplicas(options: EndpointOptions) {
  const store = createMemoryStore();
  const here = await openEndpoint({ ...options, store });
  const there = await openEndpoint({ ...options, store: store.anotherProcess() });
  onTestFinished(here.close);
  onTestFinished(there.close);
  return { here, there };
}

const bodyOf = ({ message }: StreamEvent) => message ?? {};
const methodOf = (event: StreamEvent) => Reflect.get(bodyOf(event), "method");
const progressOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => Reflect.get(Object(Reflect.get(bodyOf(event), "params")), "progress") ?? []);
const isProgress = (event: StreamEvent) => methodOf(event) === "notifications/progress";
const asks = (event: StreamEvent) => methodOf(event) === "elicitation/create";
const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const listening = (url: string, session: Record<string, string>) =>
  fetch(url, { headers: { accept: "text/event-stream", ...session } });

/** Lets a replica hold the session in memory, as it is before what the test does at the other one. */
async function visit(url: string, session: Record<string, string>) {
  expect((await post(url, request(99, "ping"), session)).status).toBe(200);
}

test("G9 a question that was asked at one replica is answered at another", async () => {
  const { here, there } = await openReplicas({ tools: [greetTool] });
  const session = await openSession(here.url, {}, "2025-11-25", { elicitation: {} });
  await visit(there.url, session);
  const call = request(1, "tools/call", { name: "greet_user", arguments: {} });
  const events = eventsOf(await post(here.url, call, session));
  const question = bodyOf((await readUntil(events, asks)).at(-1) ?? {});
  const result = { action: "accept", content: { name: "Ada" } };
  const answered = await post(there.url, { jsonrpc: "2.0", id: Reflect.get(question, "id"), result }, session);
  expect(answered.status).toBe(202);
  const rest = await readUntil(events, () => false);
  expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ text: "Hello, Ada!" }] } });
});

test("G6 a stream is resumed at a replica that has not seen its call", async () => {
  const gate = createGate();
  const { here, there } = await openReplicas({ tools: [countTool(gate)] });
  const session = await openSession(here.url);
  await visit(there.url, session);
  const events = eventsOf(await post(here.url, countTo(3), session));
  gate.open(1);
  const seen = await readUntil(events, isProgress);
  await events.return();
  const again = eventsOf(await resume(there.url, session, seen.at(-1)?.id ?? ""));
  gate.open(2);
  const rest = await readUntil(again, () => false);
  expect([...progressOf(seen), ...progressOf(rest)]).toEqual([1, 2, 3]);
  expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 3, attempts: 1 } } });
});

test("G8 a call is cancelled at a replica that does not deliver it: its task stops, and nothing more is sent of it", async () => {
  const gate = createGate();
  const { here, there } = await openReplicas({ tools: [countTool(gate)], limits: { checkSessionMs: 10 } });
  const session = await openSession(here.url);
  await visit(there.url, session);
  const events = eventsOf(await post(here.url, countTo(3), session));
  gate.open(1);
  const seen = await readUntil(events, isProgress);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  expect((await post(there.url, cancelled, session)).status).toBe(202);
  gate.open(1);
  const rest = await readUntil(events, () => false);
  expect(rest.filter((event) => Reflect.has(bodyOf(event), "result"))).toEqual([]);
  const taskId = taskOfEvent(seen.at(-1)?.id);
  await expect.poll(async () => (await here.engine.readTask(taskId))?.record.status).toBe("paused");
});

test("a session in use is written now and then, so that no other replica takes it for forgotten", async () => {
  // A slow machine has seconds for a write that is due every second: a session that is removed is never written again.
  const { here } = await openReplicas({ tools: [], limits: { sessionTtlMs: 4_000, sweepEveryMs: 5 } });
  const session = await openSession(here.url);
  expect((await listening(here.url, session)).status).toBe(200);
  const stored = () => here.engine.documents.getDocument("session", session["mcp-session-id"] ?? "");
  const before = (await stored())?.version ?? 0;
  while (((await stored())?.version ?? 0) < before + 2) await visit(here.url, session);
});

test("the end of a session at one replica ends its streams at another", async () => {
  const { here, there } = await openReplicas({ tools: [], limits: { checkSessionMs: 10 } });
  const session = await openSession(here.url);
  const events = eventsOf(await listening(here.url, session));
  expect((await fetch(there.url, { method: "DELETE", headers: session })).status).toBe(200);
  await readUntil(events, () => false);
  expect((await post(here.url, request(1, "ping"), session)).status).toBe(404);
});

test("a request that meets the end of its session at another replica is refused, and does not wait", async () => {
  const { here, there } = await openReplicas({ tools: [countTool()], limits: { checkSessionMs: 0 } });
  for (const message of [request(1, "tools/list"), request(2, "ping"), countTo(1)]) {
    const session = await openSession(here.url);
    await visit(there.url, session);
    expect((await fetch(here.url, { method: "DELETE", headers: session })).status).toBe(200);
    const answer = await post(there.url, message, session);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("Open a new one")]);
  }
});

test("a subscription at one replica is served on the stream that another one carries", async () => {
  const gate = createGate();
  const { here, there } = await openReplicas({ tools: [countTool(gate)], limits: { checkSessionMs: 10 } });
  const session = await openSession(here.url);
  const events = eventsOf(await listening(here.url, session));
  const call = eventsOf(await post(here.url, countTo(2), session));
  gate.open(1);
  const taskId = taskOfEvent((await readUntil(call, isProgress)).at(-1)?.id);
  const uri = `task://${taskId}`;
  const subscribed = await post(there.url, request(8, "resources/subscribe", { uri }), session);
  expect(await subscribed.json()).toEqual({ jsonrpc: "2.0", id: 8, result: {} });
  gate.open(1);
  const update = (await readUntil(events, (event) => methodOf(event) === "notifications/resources/updated")).at(-1);
  expect(update?.message).toEqual({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
});

test("tasks are listed, read, awaited and cancelled at any replica", async () => {
  const gate = createGate();
  const { here, there } = await openReplicas({ tools: [countTool(gate)] });
  const session = await openSession(here.url);
  const ask = async (id: number, method: string, params: object = {}) => {
    const events = await readUntil(eventsOf(await post(there.url, request(id, method, params), session)), () => false);
    return Reflect.get(Object(events.at(-1)?.message), "result");
  };
  const json = async (id: number, method: string, params: object = {}) => {
    const answer: unknown = await (await post(there.url, request(id, method, params), session)).json();
    return Reflect.get(Object(answer), "result");
  };
  const create = async (n: number) => {
    const call = request(n, "tools/call", { name: "count_to", arguments: { n }, task: {} });
    const created = await readUntil(eventsOf(await post(here.url, call, session)), () => false);
    return Reflect.get(Object(created.at(-1)?.message), "result") as { task: { taskId: string } };
  };
  const { taskId } = (await create(1)).task;
  expect(await json(2, "tasks/get", { taskId })).toMatchObject({ taskId, status: "working" });
  expect(await json(3, "tasks/list")).toMatchObject({ tasks: [{ taskId, status: "working" }] });
  gate.open(1);
  expect(await ask(4, "tasks/result", { taskId })).toMatchObject({ structuredContent: { counted: 1, attempts: 1 } });
  const other = (await create(2)).task.taskId;
  expect(await json(5, "tasks/cancel", { taskId: other })).toMatchObject({ taskId: other, status: "cancelled" });
});

/** Asks its client in mid-call, without a task. */
const asking: EndpointOptions["setup"] = (server) => {
  server.registerTool("ordinary", { inputSchema: {} }, async (_input, { sendRequest }) => {
    const params = { message: "Go on?", requestedSchema: { type: "object" as const, properties: {} } };
    const { action } = await sendRequest(
      { method: "elicitation/create", params },
      z.looseObject({ action: z.string() }),
    );
    return { content: [{ type: "text", text: String(action) }] };
  });
};

test("an answer to a question of an ordinary tool is refused at another replica, and taken where it was asked", async () => {
  const { here, there } = await openReplicas({ tools: [], setup: asking });
  const session = await openSession(here.url, {}, "2025-11-25", { elicitation: {} });
  const events = eventsOf(await post(here.url, request(1, "tools/call", { name: "ordinary", arguments: {} }), session));
  const id = Reflect.get(bodyOf((await readUntil(events, asks)).at(-1) ?? {}), "id");
  const answer = { jsonrpc: "2.0", id, result: { action: "accept" } };
  const refused = await post(there.url, answer, session);
  expect({ status: refused.status, body: await refused.json() }).toEqual({
    status: 421,
    body: {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32000,
        message:
          "Another server process asked this, and only that process can take the answer. Tools without tasks that ask their client need each session's requests to reach one process: route by Mcp-Session-Id.",
      },
    },
  });
  expect((await post(here.url, answer, session)).status).toBe(202);
  const rest = await readUntil(events, () => false);
  expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ text: "accept" }] } });
});

test("a replica sweeps its other sessions where one of them has ended at another replica (G11)", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(async () => void vi.useRealTimers());
  const limits = { idleMs: 60_000, sweepEveryMs: 5, sessionTtlMs: 120_000 };
  const { here, there } = await openReplicas({ tools: [countTool()], limits });
  const [ended, kept] = [await openSession(there.url), await openSession(there.url)];
  for (const session of [ended, kept]) await visit(here.url, session);
  vi.advanceTimersByTime(1_000);
  expect((await fetch(there.url, { method: "DELETE", headers: ended })).status).toBe(200);
  await there.handler.close();
  const isKept = async () => (await here.store.getDocument("session", kept["mcp-session-id"] ?? "")) !== undefined;
  vi.advanceTimersByTime(61_000);
  const writtenMs = async () =>
    Date.parse((await here.store.getDocument("session", kept["mcp-session-id"] ?? ""))?.updatedAt ?? "");
  await expect.poll(writtenMs).toBe(Date.now());
  vi.advanceTimersByTime(121_000);
  await expect.poll(isKept).toBe(false);
});
