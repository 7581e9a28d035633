import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallOptions } from "../src/index.js";
import { startFakeServer } from "./fake-server.js";
import { useFakeWorld } from "./fake-world.js";

const world = useFakeWorld();

/** A server that knows nothing of this toolkit: its tools ask their caller, or run as tasks of the protocol alone. */
function createOtherServer(): McpServer {
  const server = new McpServer(
    { name: "other", version: "1" },
    {
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  server.registerTool("greet", { inputSchema: {} }, async (_input, { sendRequest }) => {
    const params = {
      message: "What is your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    };
    const answer = await sendRequest({ method: "elicitation/create", params } as never, z.looseObject({}) as never);
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
  });
  server.registerTool("can_ask", { inputSchema: {} }, () => ({
    content: [{ type: "text", text: JSON.stringify(server.server.getClientCapabilities()) }],
  }));
  server.experimental.tasks.registerToolTask(
    "long",
    { inputSchema: { to: z.number() }, execution: { taskSupport: "required" } },
    {
      async createTask({ to }, { taskStore }) {
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 5 });
        const content = [{ type: "text" as const, text: `counted to ${to}` }];
        await taskStore.storeTaskResult(task.taskId, "completed", { content });
        return { task };
      },
      getTask: (_input, { taskStore, taskId }) => taskStore.getTask(taskId) as never,
      getTaskResult: (_input, { taskStore, taskId }) => taskStore.getTaskResult(taskId) as never,
    },
  );
  return server;
}

async function open() {
  const server = await startFakeServer(() => createOtherServer().server as never);
  const client = await world().open(server.url);
  const call = async (tool: string, values = {}, options: CallOptions = {}) =>
    (await client.call(tool, values, options)).result();
  return { call, server };
}

describe("a server of others", () => {
  it("asks the user what its tool asks, with the message and the form, and gets the answer", async () => {
    const { call, server } = await open();
    const asked: unknown[] = [];
    const result = await call(
      "greet",
      {},
      {
        async ask({ message, schema }) {
          asked.push([message, schema]);
          return { action: "accept", content: { name: "Ada" } };
        },
      },
    );
    expect(asked).toEqual([["What is your name?", expect.objectContaining({ required: ["name"] })]]);
    expect(JSON.parse(result.text)).toMatchObject({ action: "accept", content: { name: "Ada" } });
    await server.kill();
  });

  it("learns that its question was dismissed where there is no user to ask", async () => {
    const { call, server } = await open();
    expect(JSON.parse((await call("greet")).text)).toEqual({ action: "cancel" });
    expect(JSON.parse((await call("can_ask")).text)).toMatchObject({ elicitation: { form: {} } });
    await server.kill();
  });

  it("gets a call of a tool that needs a task as one, and the result of that task is the result of the call", async () => {
    const { call, server } = await open();
    expect(await call("long", { to: 7 })).toMatchObject({ status: "completed", text: "counted to 7" });
    await server.kill();
  });

  it("gets such a call once, though the connection breaks while its end is waited for", async () => {
    const { call, server } = await open();
    const seen: string[] = [];
    server.onRequest = ({ method = "" }) => {
      seen.push(method);
      if (method !== "tasks/result" || seen.filter((one) => one === method).length > 1) return undefined;
      setImmediate(() => server.cut());
      return "silence";
    };
    expect(await call("long", { to: 7 })).toMatchObject({ text: "counted to 7" });
    expect(seen.filter((method) => method === "tools/call" || method === "tasks/result")).toEqual([
      "tools/call",
      "tasks/result",
      "tasks/result",
    ]);
    await server.kill();
  });
});
