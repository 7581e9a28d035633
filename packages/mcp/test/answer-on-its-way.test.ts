import { createEngine, createMemoryStore, defineTool, type Engine } from "@resumable-mcp/core";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { openEndpoint as open2026 } from "./endpoint-2026.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

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
  const limits = { pollMs: neverMs, hintDelayMs: neverMs, graceMs: 20, drainTimeoutMs: 20 };
  const busy: Engine = createEngine({ store, tools: [askTwice], limits });
  const endpoint = open2026([askTwice], store);
  closing.push(endpoint.close, () => busy.close());
  const { record } = await busy.forOwner("sub:ada").start({ tool: "ask_twice", input: {} });
  const keys = async () => Object.keys((await store.getTask(record.id))?.record.remembered ?? {});
  await vi.waitFor(async () => expect(await keys()).toEqual(["first", "second"]));
  return { taskId: record.id, ...endpoint };
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
