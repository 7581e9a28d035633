import { createEngine, createMemoryStore, type Engine, type OwnedTasks } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import type { Call } from "../src/call/call.js";
import { parseCallMeta } from "../src/call/call.js";
import { controlTools } from "../src/control/control-tools.js";
import { countTool, createGate, type Gate } from "./counting-tool.js";

/** Calls the control tool as one caller does. */
function waitForTask(engine: Engine, tasks: OwnedTasks, taskId: string, seconds: number) {
  const call: Call = {
    engine,
    era: "2025",
    tasks,
    meta: parseCallMeta({}),
    requestId: 1,
    signal: new AbortController().signal,
    left: () => "gone",
    notify: () => Promise.resolve(),
    wantsLog: () => false,
    carry: () => {},
    prefix: "",
    rights: { token: undefined, locality: { local: true } },
  };
  const tool = controlTools.find(({ name }) => name === "wait_for_task");
  return tool?.run(call, { task_id: taskId, timeout_seconds: seconds });
}

test("wait_for_task gives the result of a task that another server finishes between two of its looks", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  onTestFinished(() => engine.close());
  const owned = engine.forOwner("sub:ada");
  const { record } = await owned.start({ tool: "count_to", input: { n: 2 }, detached: true });
  await owned.wait(record.id);
  // The first look comes before the task's end, as that of a server which found it orphaned.
  let looks = 0;
  const get: OwnedTasks["get"] = async (id) => {
    const view = await owned.get(id);
    return ++looks === 1 ? { ...view, status: "pending", interrupted: true } : view;
  };
  const result = await waitForTask(engine, { ...owned, get }, record.id, 1);
  expect(result).toMatchObject({ structuredContent: { counted: 2 } });
  expect(looks).toBeGreaterThan(1);
});

test("wait_for_task says which version a task waits for that no code at hand can read", async () => {
  const store = createMemoryStore();
  const engineOf = (version: string, gate?: Gate) => {
    const tools = [{ ...countTool(gate), version }];
    const engine = createEngine({ store: store.anotherProcess(), tools, limits: { drainTimeoutMs: 300 } });
    onTestFinished(() => engine.close());
    return engine;
  };
  const gate = createGate();
  gate.open();
  const later = engineOf("2", gate);
  const { record } = await later.forOwner("sub:ada").start({ tool: "count_to", input: { n: 2 }, detached: true });
  for await (const each of later.forOwner("sub:ada").follow(record.id)) {
    if (each.kind === "event" && each.event.type === "checkpoint") break;
  }
  await later.close();
  const engine = engineOf("1");
  const owned = engine.forOwner("sub:ada");
  await engine.open();
  for await (const each of owned.follow(record.id)) if (each.kind === "event" && each.event.type === "refused") break;
  const { message } = (await owned.get(record.id)).record;
  expect(message).toContain("needs version 2 of count_to");
  expect(await waitForTask(engine, owned, record.id, 0)).toMatchObject({
    content: [{ text: expect.stringContaining(`Not running: 1/2 (50 %). ${message}`) }],
    structuredContent: { status: "running", task_id: record.id, progress: 1, message },
  });
});
