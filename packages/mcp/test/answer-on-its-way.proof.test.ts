import { createEngine, createMemoryStore, defineTool, type Engine, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { openEndpoint as open2026, withTasksExtension } from "./endpoint-2026.js";
import { eventsOf, openEndpoint, openSession, post, readUntil } from "./http-endpoint.js";

const askTwice = defineTool({
  name: "ask_twice",
  description: "Asks for two names at once.",
  input: z.object({}),
  async run(_input, task) {
    const schema = z.object({ name: z.string() });
    await Promise.all(["first", "second"].map((key) => task.ask(key, { message: `The ${key} name?`, schema })));
    return "done";
  },
});

const neverMs = 1_000_000;

/** A task that a process runs which does not look for answers now, and an endpoint of another process. */
async function busyElsewhere() {
  const store = createMemoryStore();
  const limits = { pollMs: neverMs, graceMs: 20, drainTimeoutMs: 20 };
  // The store outlives the engine of the first process, and notifies it of nothing.
  const shared: Store = Object.assign(Object.create(store), { close: async () => {}, watch: () => () => {} });
  const busy: Engine = createEngine({ store: shared, tools: [askTwice], limits });
  const endpoint = open2026([askTwice], store);
  onTestFinished(endpoint.close);
  onTestFinished(() => busy.close());
  const { record } = await busy.forOwner("sub:ada").start({ tool: "ask_twice", input: {} });
  const keys = async () => Object.keys((await store.getTask(record.id))?.record.remembered ?? {});
  await vi.waitFor(async () => expect(await keys()).toEqual(["first", "second"]), { timeout: 60_000 });
  return { taskId: record.id, store, stop: () => busy.close(), ...endpoint };
}

const answer = (taskId: string, key: string) => ({
  name: "answer_task",
  arguments: { task_id: taskId, key, action: "decline" },
});

test("a task does not show a question whose answer is on its way, by its tools and in its results (G9)", async () => {
  const { taskId, send } = await busyElsewhere();
  const given = await send("tools/call", answer(taskId, "first"));
  const second = { key: "second", message: "The second name?" };
  expect(given.result.structuredContent).toMatchObject({ status: "input_required", questions: [second] });
  const waited = await send("tools/call", { name: "wait_for_task", arguments: { task_id: taskId } });
  expect(waited.result.structuredContent).toMatchObject({ next_tool: "answer_task", questions: [second] });
});

test("a call that comes back asks only what has no answer on its way (G9)", async () => {
  const { taskId, send } = await busyElsewhere();
  await send("tools/call", answer(taskId, "first"));
  const call = { name: "ask_twice", arguments: {} };
  const { result } = await send("tools/call", call, { capabilities: { elicitation: {} } });
  expect(Object.keys(Object(result.inputRequests))).toEqual(["second"]);
});

test("tasks/get does not ask for what has its answer on its way (G9)", async () => {
  const { taskId, send } = await busyElsewhere();
  await send("tools/call", answer(taskId, "first"));
  const { result } = await send("tasks/get", { taskId }, { capabilities: withTasksExtension });
  expect([result.status, Object.keys(Object(result.inputRequests))]).toEqual(["input_required", ["second"]]);
});

test("a call of the 2025 era that joins the task asks its user nothing whose answer is on its way (G9)", async () => {
  const { taskId, send, store, stop } = await busyElsewhere();
  const { url, close } = await openEndpoint({ tools: [askTwice], store, subjects: { token: "ada" } });
  onTestFinished(close);
  const capabilities = { elicitation: {} };
  const session = await openSession(url, { authorization: "Bearer token" }, "2025-11-25", capabilities);
  await send("tools/call", answer(taskId, "first"));
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_twice", arguments: {} } };
  const events = eventsOf(await post(url, call, session));
  const asked = await readUntil(events, ({ message }) => message?.method === "elicitation/create");
  await post(url, { jsonrpc: "2.0", id: asked.at(-1)?.message?.id, result: { action: "decline" } }, session);
  await stop();
  const rest = await readUntil(events, ({ message }) => message?.id === 1);
  const messages = [...asked, ...rest].flatMap(({ message }) => message ?? []);
  expect(messages).toMatchObject([
    { method: "elicitation/create", params: { message: "The second name?" } },
    { id: 1, result: { content: [{ type: "text", text: "done" }] } },
  ]);
});
