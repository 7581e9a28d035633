import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  type Progress,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool, type Tool } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { registerTools } from "../src/index.js";
import { countTool, createGate, greetTool } from "./counting-tool.js";

async function connect(tools: readonly Tool[], capabilities = {}) {
  const store = createMemoryStore();
  const engine = createEngine({ store, tools, limits: { graceMs: 20, drainTimeoutMs: 20 } });
  onTestFinished(() => engine.close());
  const open = async (user: string) => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools(server, engine, { owner: () => user });
    const client = new Client({ name: "stock", version: "1" }, { capabilities });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    onTestFinished(() => client.close());
    return client;
  };
  return { engine, store, client: await open("ada"), open };
}

async function startTask(client: Client, name: string, args = {}): Promise<string> {
  const request = { method: "tools/call" as const, params: { name, arguments: args, task: {} } };
  const { task } = await client.request(request, CreateTaskResultSchema);
  expect(task.status).toBe("working");
  return task.taskId;
}

const resultOf = (client: Client, taskId: string) =>
  client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);

test("a tool of the server's own does not run when it is called as a task", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  onTestFinished(() => engine.close());
  const server = new McpServer({ name: "test", version: "1" });
  let runs = 0;
  server.registerTool("own", { description: "Counts." }, () => {
    runs += 1;
    return { content: [] };
  });
  registerTools(server, engine);
  const client = new Client({ name: "stock", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const asTask = (name: string) =>
    client.request({ method: "tools/call" as const, params: { name, task: {} } }, CreateTaskResultSchema);
  await expect(asTask("own")).rejects.toMatchObject({ code: -32_601, message: expect.stringContaining("as a task") });
  await expect(asTask("none")).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining("own") });
  expect(runs).toBe(0);
});

test("advertises tasks, and which tools may be called as one", async () => {
  const simple = { description: "Simple.", input: z.object({}), run: async () => "done" };
  const only = defineTool({ ...simple, name: "only_as_task", taskSupport: "required" });
  const never = defineTool({ ...simple, name: "never_as_task", taskSupport: "forbidden" });
  const { client } = await connect([countTool(), only, never]);
  expect(client.getServerCapabilities()?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
  const { tools } = await client.listTools();
  const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
  expect(support).toMatchObject({ count_to: "optional", only_as_task: "required", never_as_task: "forbidden" });
  await expect(
    client.request({ method: "tools/call", params: { name: "only_as_task" } }, CallToolResultSchema),
  ).rejects.toMatchObject({ code: -32_601 });
  const asTask = { method: "tools/call" as const, params: { name: "never_as_task", task: {} } };
  await expect(client.request(asTask, CreateTaskResultSchema)).rejects.toMatchObject({ code: -32_601 });
});

test("a call becomes a task, whose result waits for its end", async () => {
  const gate = createGate();
  const { client } = await connect([countTool(gate)]);
  const statuses: string[] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void statuses.push(params.status));
  const taskId = await startTask(client, "count_to", { n: 2 });
  expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: "working", ttl: null });
  const result = resultOf(client, taskId);
  gate.open(2);
  expect(await result).toMatchObject({
    structuredContent: { counted: 2, attempts: 1 },
    _meta: { "io.modelcontextprotocol/related-task": { taskId } },
  });
  expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({
    status: "completed",
    ttl: expect.any(Number),
  });
  expect(statuses).toEqual(["working", "completed"]);
});

test("progress of a task comes with the token of the call that began it, until it ends", async () => {
  const gate = createGate();
  const { client, open } = await connect([countTool(gate)]);
  const params = { name: "count_to", arguments: { n: 2 }, task: {} };
  const seen: string[] = [];
  const show = (of: string) => ({ onprogress: (now: Progress) => void seen.push(`${of} ${now.progress}`) });
  const { task } = await client.request(
    { method: "tools/call" as const, params },
    CreateTaskResultSchema,
    show("call"),
  );
  const result = (from: Client, of: string) =>
    from.experimental.tasks.getTaskResult({ ...task }.taskId, CallToolResultSchema, show(of));
  const stranger = await open("ada");
  const results = [result(client, "result"), result(stranger, "result of another")];
  gate.open(2);
  await Promise.all(results);
  expect(seen.sort()).toEqual(["call 1", "call 2", "result of another 1", "result of another 2"]);
  seen.length = 0;
  await Promise.all([result(client, "result"), result(stranger, "result of another")]);
  expect(seen).toEqual([]);
});

test("the same tool called without a task streams as before", async () => {
  const { client } = await connect([countTool()]);
  await client.listTools();
  const progress: number[] = [];
  const request = { method: "tools/call" as const, params: { name: "count_to", arguments: { n: 2 } } };
  const result = await client.request(request, CallToolResultSchema, {
    onprogress: (now) => progress.push(now.progress),
  });
  expect([progress, result.structuredContent]).toEqual([[1, 2], { counted: 2, attempts: 1 }]);
});

test("a question of a task reaches the user through the request for its result, and names the task", async () => {
  const { client } = await connect([greetTool], { elicitation: {} });
  const about: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    about.push(params._meta?.["io.modelcontextprotocol/related-task"]);
    return { action: "accept" as const, content: { name: "Ada" } };
  });
  const taskId = await startTask(client, "greet_user");
  expect(await resultOf(client, taskId)).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
  expect(about).toEqual([{ taskId }]);
});

test("a tool that failed makes the task failed, and its result is the tool's error", async () => {
  const broken = defineTool({
    name: "broken",
    description: "Fails.",
    input: z.object({}),
    run: async () => {
      throw new Error("It broke.");
    },
  });
  const { client } = await connect([broken]);
  const taskId = await startTask(client, "broken");
  expect(await resultOf(client, taskId)).toMatchObject({
    isError: true,
    content: [{ text: "It broke. The same call continues the task from its last checkpoint." }],
  });
  expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ status: "failed" });
});

test("a task is cancelled once", async () => {
  const { client } = await connect([countTool(createGate())]);
  const taskId = await startTask(client, "count_to", { n: 2 });
  expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
  await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32_602 });
});

test("tasks belong to their owner, not to the session", async () => {
  const { client, open } = await connect([countTool(createGate())]);
  const taskId = await startTask(client, "count_to", { n: 2 });
  const [again, eve] = [await open("ada"), await open("eve")];
  expect((await again.experimental.tasks.listTasks()).tasks).toMatchObject([{ taskId }]);
  expect((await eve.experimental.tasks.listTasks()).tasks).toEqual([]);
  await expect(eve.experimental.tasks.getTask(taskId)).rejects.toMatchObject({ code: -32_602 });
  await expect(resultOf(eve, taskId)).rejects.toMatchObject({ code: -32_602 });
  await expect(eve.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32_602 });
});

test("what a session watches ends with the session, not with the task (G11)", async () => {
  const { store, client } = await connect([countTool(createGate())]);
  let watchers = 0;
  const { watch } = store;
  store.watch = (query, wake) => {
    watchers += 1;
    const stop = watch(query, wake);
    return () => {
      watchers -= 1;
      stop();
    };
  };
  const taskId = await startTask(client, "count_to", { n: 2 });
  await expect.poll(() => watchers).toBeGreaterThan(0);
  const once = watchers;
  for (let again = 0; again < 5; again++) await startTask(client, "count_to", { n: 2 });
  expect(watchers).toBe(once);
  await client.subscribeResource({ uri: `task://${taskId}` });
  await expect.poll(() => watchers).toBe(once + 1);
  await client.close();
  await expect.poll(() => watchers).toBe(once - 1);
});
