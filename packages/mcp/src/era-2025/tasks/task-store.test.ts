import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool, type Tool } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { countTool, createGate, greetTool } from "../../../test/counting-tool.js";
import { createTaskStore, taskHandler } from "./task-store.js";

const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

/** Servers of the SDK, each with a task store of its own, as they are made for every session or request. */
function makeEngine(tools: readonly Tool[]) {
  const engine = createEngine({ store: createMemoryStore(), tools, limits: { graceMs: 20, drainTimeoutMs: 20 } });
  onTestFinished(() => engine.close());
  const connect = async (owner: Parameters<typeof createTaskStore>[0]["owner"]) => {
    const taskStore = createTaskStore({ engine, owner });
    const server = new McpServer({ name: "stock", version: "1" }, { capabilities, taskStore });
    for (const { name } of tools) {
      const execution = { taskSupport: "optional" as const };
      server.experimental.tasks.registerToolTask(name, { inputSchema: {}, execution }, taskHandler);
    }
    const client = new Client({ name: "stock", version: "1" });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    onTestFinished(() => client.close());
    return { client, taskStore };
  };
  return { engine, connect };
}

async function startTask({ client }: { client: Client }, name: string, args = {}): Promise<string> {
  const request = { method: "tools/call" as const, params: { name, arguments: args, task: {} } };
  return (await client.request(request, CreateTaskResultSchema)).task.taskId;
}
const resultOf = ({ client }: { client: Client }, taskId: string) =>
  client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);

test("a call of the SDK's own server becomes a task of the engine, whose result waits for its end", async () => {
  const gate = createGate();
  const { engine, connect } = makeEngine([countTool(gate)]);
  const ada = await connect("ada");
  const taskId = await startTask(ada, "count_to", { n: 2 });
  expect(await ada.client.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: "working", ttl: null });
  expect(await startTask(ada, "count_to", { n: 2 })).toBe(taskId);
  gate.open(2);
  expect(await resultOf(ada, taskId)).toMatchObject({ structuredContent: { counted: 2, attempts: 1 } });
  expect((await engine.readTask(taskId))?.record).toMatchObject({ owner: "sub:ada", detached: true });
});

test("a plain call of a tool that may be a task is answered with its result", async () => {
  const { connect } = makeEngine([countTool()]);
  const { client } = await connect("ada");
  const result = await client.callTool({ name: "count_to", arguments: { n: 1 } });
  expect(result).toMatchObject({ structuredContent: { counted: 1 } });
});

test("G10 a store shows every session its owner's tasks, and no tasks of other owners", async () => {
  const { connect } = makeEngine([countTool(createGate())]);
  const [ada, again, bob] = [await connect("ada"), await connect(() => "ada"), await connect("bob")];
  const taskId = await startTask(ada, "count_to", { n: 9 });
  expect((await again.client.experimental.tasks.listTasks()).tasks.map((task) => task.taskId)).toEqual([taskId]);
  expect((await bob.client.experimental.tasks.listTasks()).tasks).toEqual([]);
  const refusals = [taskId, "0123456789abcdef"].map(async (id) => {
    const tasks = bob.client.experimental.tasks;
    const attempts = [tasks.getTask(id), resultOf(bob, id), tasks.cancelTask(id)];
    const outcomes = await Promise.allSettled(attempts);
    return outcomes.map((one) => (one.status === "rejected" ? String(one.reason).replaceAll(id, "ID") : one.value));
  });
  const [foreign, unknown] = await Promise.all(refusals);
  expect(foreign).toEqual(unknown);
  expect(foreign?.every((refusal) => /not found/.test(String(refusal)))).toBe(true);
});

test("a session of which the owner is not known is refused", async () => {
  const { connect } = makeEngine([countTool()]);
  const { client } = await connect(() => undefined);
  await expect(client.experimental.tasks.getTask("0123456789abcdef")).rejects.toThrow(/gave no owner/);
});

test("a cancelled task is answered as cancelled, though its code has not stopped yet", async () => {
  const { engine, connect } = makeEngine([countTool(createGate())]);
  const ada = await connect("ada");
  const taskId = await startTask(ada, "count_to", { n: 2 });
  expect(await ada.client.experimental.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
  expect((await engine.forOwner("sub:ada").wait(taskId)).status).toBe("cancelled");
  await expect(ada.client.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32_602 });
});

test("a JSON-RPC error of the tool is what its result answers with", async () => {
  const failing = defineTool({
    name: "fail",
    description: "Fails.",
    input: z.object({}),
    run: () => Promise.reject(Object.assign(new Error("no such page"), { code: -32_002 })),
  });
  const { connect } = makeEngine([failing]);
  const ada = await connect("ada");
  await expect(resultOf(ada, await startTask(ada, "fail"))).rejects.toMatchObject({ code: -32_002 });
});

test("what the engine decides is refused, and so is a call of another tool", async () => {
  const { connect } = makeEngine([greetTool]);
  const ada = await connect("ada");
  const taskId = await startTask(ada, "greet_user");
  const { taskStore } = ada;
  await expect(taskStore.storeTaskResult(taskId, "completed", {})).rejects.toMatchObject({ code: -32_602 });
  await expect(taskStore.updateTaskStatus(taskId, "failed")).rejects.toMatchObject({ code: -32_602 });
  await expect(taskStore.getTaskResult(taskId)).rejects.toThrow(/has no result yet/);
  const other = { method: "tools/call", params: { name: "other" } };
  await expect(taskStore.createTask({}, 1, other)).rejects.toMatchObject({ data: { code: "UNKNOWN_TOOL" } });
  const sampling = { method: "sampling/createMessage" };
  await expect(taskStore.createTask({}, 1, sampling)).rejects.toThrow(/Only tools\/call/);
});

test("a store that knows no tokens is not made for tools that require scopes (G10)", async () => {
  const { connect } = makeEngine([{ ...countTool(), requiredScopes: ["pay"] }]);
  await expect(connect("ada")).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining("The tool count_to requires scopes"),
  });
});
