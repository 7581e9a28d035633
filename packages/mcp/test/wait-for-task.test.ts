import { createEngine, createMemoryStore, type OwnedTasks } from "@resumable-mcp/core";
import { afterEach, expect, test } from "vitest";
import type { Call } from "../src/call/call.js";
import { parseCallMeta } from "../src/call/call.js";
import { controlTools } from "../src/index.js";
import { countTool } from "./counting-tool.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test("wait_for_task gives the result of a task that another server finishes between two of its looks", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  closing.push(() => engine.close());
  const owned = engine.forOwner("sub:ada");
  const { record } = await owned.start({ tool: "count_to", input: { n: 2 }, detached: true });
  await owned.wait(record.id);
  // The first look comes before the task's end, as that of a server which found it orphaned.
  let looks = 0;
  const get: OwnedTasks["get"] = async (id) => {
    const view = await owned.get(id);
    return ++looks === 1 ? { ...view, status: "pending", interrupted: true } : view;
  };
  const call: Call = {
    engine,
    tasks: { ...owned, get },
    meta: parseCallMeta({}),
    requestId: 1,
    signal: new AbortController().signal,
    left: () => "gone",
    notify: () => Promise.resolve(),
    wantsLog: () => false,
    server: {},
    prefix: "",
  };
  const waitForTask = controlTools.find(({ name }) => name === "wait_for_task");
  const result = await waitForTask?.run(call, { task_id: record.id, timeout_seconds: 1 });
  expect(result).toMatchObject({ structuredContent: { counted: 2 } });
  expect(looks).toBeGreaterThan(1);
});
