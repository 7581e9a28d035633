import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createEngine,
  createMemoryStore,
  defineTool,
  type Engine,
  type JsonObject,
  type Store,
  type Tool,
} from "@resumable-mcp/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { withStdioTasks, withTasks } from "../src/era-2026/index.js";
import { createSessionHandler, createTaskStore, registerTools, taskHandler } from "../src/index.js";
import { serveStdioEras } from "../src/stdio/index.js";
import { openEndpoint } from "./endpoint-2026.js";

const size = { type: "object", properties: { size: { type: "integer", minimum: 2 } }, required: ["size"] } as const;
const whole = { type: "object", properties: { half: { type: "integer" } } } as const;

/** Both its input and its output are plain JSON Schema; an odd size has no half. */
const halve = defineTool({
  name: "halve",
  description: "Halves a size.",
  input: size,
  output: whole,
  run: async (input) => ({ half: Number((input as { size: number }).size) / 2 }),
});

function makeEngine(tools: readonly Tool[], store: Store = createMemoryStore()) {
  const engine = createEngine({ store, tools });
  onTestFinished(() => engine.close());
  return engine;
}

async function connectTo(server: McpServer): Promise<Client> {
  const client = new Client({ name: "stock", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  return client;
}

type Call = (args: JsonObject, name?: string) => Promise<unknown>;

async function byServer2025(tools: readonly Tool[]): Promise<Call> {
  const server = new McpServer({ name: "test", version: "1" });
  registerTools(server, makeEngine(tools));
  const client = await connectTo(server);
  return (args, name = "halve") => client.callTool({ name, arguments: args });
}

async function byServer2026(tools: readonly Tool[]): Promise<Call> {
  const endpoint = openEndpoint(tools);
  onTestFinished(endpoint.close);
  const client = await endpoint.connect();
  onTestFinished(() => client.close());
  return (args, name = "halve") => client.callTool({ name, arguments: args });
}

const ways = { registerTools: byServer2025, registerTools2026: byServer2026 };

describe.each(Object.entries(ways))("%s", (_name, connect) => {
  test("checks input and output by plain JSON Schema, though the engine was given no validator", async () => {
    const call = await connect([halve]);
    expect(await call({ size: 4 })).toMatchObject({ structuredContent: { half: 2 } });
    for (const [args, problem] of [
      [{ size: 1 }, "The input of halve is not valid: data/size must be >= 2."],
      [{}, "The input of halve is not valid: data must have required property 'size'."],
      [{ size: 3 }, "The output of halve is not valid: data/half must be integer."],
    ] as const) {
      expect(await call(args)).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "INVALID_VALUE", message: expect.stringContaining(problem) } },
      });
    }
  });
});

test("a task of createTaskStore is checked by plain JSON Schema too", async () => {
  const taskStore = createTaskStore({ engine: makeEngine([halve]), owner: "ada" });
  const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  const server = new McpServer({ name: "stock", version: "1" }, { capabilities, taskStore });
  server.experimental.tasks.registerToolTask(
    "halve",
    { inputSchema: {}, execution: { taskSupport: "required" } },
    taskHandler,
  );
  const client = await connectTo(server);
  const params = { name: "halve", arguments: { size: 4 }, task: {} };
  const { task } = await client.request({ method: "tools/call", params }, CreateTaskResultSchema);
  const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  expect(result).toMatchObject({ structuredContent: { half: 2 } });
});

describe("a recovered task whose tool has plain JSON Schema runs before any client comes (G1)", () => {
  const definition = { name: "test", version: "1", tools: [halve] };
  const unused = () => Promise.reject(new Error("No client came."));
  const ignored = async () => {};
  const serving: { readonly [way: string]: (engine: Engine) => { readonly close?: () => Promise<void> } } = {
    registerTools(engine) {
      registerTools(new McpServer({ name: "test", version: "1" }), engine);
      return {};
    },
    createSessionHandler: (engine) => createSessionHandler({ engine, createServer: unused }),
    createTaskStore(engine) {
      createTaskStore({ engine, owner: "ada" });
      return {};
    },
    withTasks: (engine) => withTasks({ fetch: unused, close: ignored }, engine),
    withStdioTasks: (engine) => withStdioTasks({ start: ignored, send: ignored, close: ignored }, engine),
    serveStdioEras: (engine) => serveStdioEras({ definition, engine, write: ignored, onError: () => {} }),
  };
  test.each(Object.entries(serving))("%s", async (_way, serve) => {
    const store = createMemoryStore();
    const id = "a-recovered-task-0001";
    const facts = { owner: "sub:ada", tool: "halve", toolVersion: "1", key: null, detached: true, ttlMs: 60_000 };
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    await store.createTask({ task: { id, ...facts, input: { size: 4 } }, reuseResultMs: 0, now });
    const engine = makeEngine([halve], store);
    await engine.open();
    const served = serve(engine);
    onTestFinished(async () => served.close?.());
    const tasks = engine.forOwner("sub:ada");
    // To follow a task does not make it run.
    for await (const _event of tasks.follow(id));
    expect((await tasks.get(id)).record).toMatchObject({ status: "completed", output: { half: 2 } });
  });
});
