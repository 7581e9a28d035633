import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { LoggingMessageNotificationSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { registerTools } from "../src/index.js";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { call, closing, connect } from "./stock-client.js";

test("a call tells its progress and answers with the result", async () => {
  const { client } = await connect([countTool()]);
  const seen: Progress[] = [];
  const result = await call(client, "count_to", { n: 3 }, { onprogress: (progress: Progress) => seen.push(progress) });
  expect(seen).toMatchObject([1, 2, 3].map((at) => ({ progress: at, total: 3, message: `Counted ${at}/3` })));
  expect(result).toMatchObject({
    content: [{ type: "text", text: '{"counted":3,"attempts":1}' }],
    structuredContent: { counted: 3, attempts: 1 },
    _meta: { [metaKeys.status]: "completed", [metaKeys.taskId]: expect.any(String) },
  });
});

test("log messages respect the level that the client set", async () => {
  const { client } = await connect([countTool()]);
  const seen: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.push(params.data));
  await call(client, "count_to", { n: 2 });
  await client.setLoggingLevel("error");
  await call(client, "count_to", { n: 3 });
  expect(seen).toEqual(["step 1", "step 2"]);
});

test("log messages respect the level in a session of a server that declares logging itself", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  const server = new McpServer({ name: "own", version: "1" }, { capabilities: { logging: {} } });
  registerTools(server, engine);
  const client = new Client({ name: "stock", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  there.sessionId = "one";
  await Promise.all([server.connect(there), client.connect(here)]);
  closing.push(() => engine.close());
  const seen: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.push(params.data));
  await client.setLoggingLevel("error");
  await call(client, "count_to", { n: 3 });
  expect(seen).toEqual([]);
});

test("tools with plain JSON Schema list exactly that schema, and are checked by it", async () => {
  const input = {
    type: "object",
    properties: { size: { $ref: "#/$defs/size" } },
    required: ["size"],
    additionalProperties: false,
    $defs: { size: { type: "integer", minimum: 2 } },
  } as const;
  const plain = defineTool({ name: "plain", description: "Plain.", input, run: async () => "done" });
  const { client } = await connect([plain]);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "plain")?.inputSchema).toEqual(input);
  expect(await call(client, "plain", { size: 1 })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "INVALID_VALUE" } },
  });
  expect(await call(client, "plain", { size: 2 })).toMatchObject({ content: [{ type: "text", text: "done" }] });
});

test("a call after the delivered result begins a new task", async () => {
  const { client } = await connect([countTool()]);
  const first = await call(client, "count_to", { n: 1 });
  const second = await call(client, "count_to", { n: 1 });
  expect(second._meta?.[metaKeys.taskId]).not.toBe(first._meta?.[metaKeys.taskId]);
});

test("waiting for a task whose tool no server has any more says so, and what can be done", async () => {
  const store = createMemoryStore();
  const before = await connect([countTool(createGate())], undefined, undefined, store);
  const running = await call(before.client, "count_to", { n: 3 }, {}, { [metaKeys.handoff]: 0 });
  const { task_id } = Object(running.structuredContent);
  store.kill({ noticed: true });
  const { client } = await connect([greetTool], undefined, undefined, store.anotherProcess());
  const waited = await call(client, "wait_for_task", { task_id, timeout_seconds: 1 });
  const message = `Task ${task_id} needs the tool "count_to", which this server does not have, and no other server runs the task. Start a server that has the tool, or end the task with cancel_task.`;
  expect(waited).toEqual({
    content: [{ type: "text", text: message }],
    structuredContent: { error: { code: "UNKNOWN_TOOL", message } },
    isError: true,
  });
  expect((await call(client, "get_task", { task_id })).structuredContent).toMatchObject({ task_id, interrupted: true });
});

test("messages behind a place of the journal leave out what was seen", async () => {
  const { client } = await connect([countTool()]);
  const first = await call(client, "count_to", { n: 4 });
  const task_id = first._meta?.[metaKeys.taskId];
  const seen: { progress: number; _meta?: unknown }[] = [];
  const onprogress = (progress: Progress) => void seen.push(progress);
  await call(client, "wait_for_task", { task_id }, { onprogress });
  const half = seen.filter(({ progress }) => progress > 2);
  const place = Reflect.get(Object(seen[1]?._meta), metaKeys.seq);
  seen.length = 0;
  await call(client, "wait_for_task", { task_id }, { onprogress }, { [metaKeys.afterSeq]: place });
  expect(seen).toEqual(half);
});

test("a name that is taken is refused at the start", () => {
  const server = new McpServer({ name: "test", version: "1" });
  server.registerTool("get_task", { description: "mine" }, () => ({ content: [] }));
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  closing.push(() => engine.close());
  expect(() => registerTools(server, engine)).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
  const other = new McpServer({ name: "test", version: "1" });
  other.registerTool("get_task", { description: "mine" }, () => ({ content: [] }));
  registerTools(other, engine, { prefix: "long_" });
});

test("a task's label is in its object, in lists, in the prompt and in what tasks/get shows", async () => {
  const gate = createGate();
  const { client } = await connect([countTool(gate, { label: ({ n }) => `to ${n}` })]);
  const begun = await call(client, "count_to", { n: 5 }, {}, { [metaKeys.handoff]: 0 });
  const { task_id } = begun.structuredContent as { task_id: string };
  expect((await call(client, "get_task", { task_id })).structuredContent).toMatchObject({ label: "to 5" });
  const { structuredContent: listed } = await call(client, "list_session_tasks", {});
  expect(listed).toMatchObject({ tasks: [{ task_id, label: "to 5" }] });
  const { messages } = await client.getPrompt({ name: "unfinished_tasks" });
  expect(messages).toMatchObject([{ content: { text: expect.stringContaining('count_to "to 5"') } }]);
  expect((await client.experimental.tasks.getTask(task_id)).statusMessage).toMatch(/ \(to 5\)$/);
  const { tasks } = await client.experimental.tasks.listTasks();
  expect(tasks).toMatchObject([{ taskId: task_id, statusMessage: expect.stringContaining("to 5") }]);
  gate.open(5);
  await call(client, "wait_for_task", { task_id });
  const { tasks: completed } = await client.experimental.tasks.listTasks();
  expect(completed).toMatchObject([{ status: "completed", statusMessage: "to 5" }]);
});

test("the prompt names unfinished tasks", async () => {
  const { client } = await connect([countTool(createGate())]);
  await call(client, "count_to", { n: 5 }, {}, { [metaKeys.handoff]: 0 });
  const { messages } = await client.getPrompt({ name: "unfinished_tasks" });
  expect(messages).toMatchObject([{ content: { text: expect.stringContaining("count_to") } }]);
});
