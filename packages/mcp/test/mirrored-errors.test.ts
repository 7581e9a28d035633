import { createEngine, createMemoryStore, type Json, type JsonObject, type Tool } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { StdioConnection2025 } from "../src/era-2025/stdio-connection.js";
import { openEndpoint, withTasksExtension } from "./endpoint-2026.js";
import { eventsOf, openForTest, openSession, post } from "./http-endpoint.js";

/** The tools of another server, each call of which is answered with an error that says which one it is. */
function failingTools(): readonly Tool[] {
  let calls = 0;
  const answers: Readonly<Record<string, (count: number) => Json>> = {
    refused: (count) => ({ error: { code: -32_042, message: `call ${count}`, data: { why: "x" } } }),
    failed: (count) => ({ result: { content: [{ type: "text", text: `call ${count}` }], isError: true } }),
    fine: (count) => ({ result: { content: [{ type: "text", text: `call ${count}` }] } }),
  };
  const schema = { type: "object" };
  return Object.entries(answers).map(([name, answer]) => ({
    ...{ name, description: "", kind: "generator", version: "1", inputJsonSchema: schema },
    input: {
      "~standard": {
        ...{ version: 1, vendor: "upstream", validate: (value: unknown) => ({ value }) },
        jsonSchema: { input: () => schema, output: () => schema },
      },
    },
    ...{ onCrash: "fail", onFailure: "restart", mirrors: { name, inputSchema: schema }, content: () => [] },
    async *run() {
      calls += 1;
      yield {};
      return answer(calls);
    },
  }));
}

type Send = (method: string, params: JsonObject) => Promise<JsonObject>;

async function over2025(): Promise<Send> {
  const { url } = await openForTest({ tools: failingTools() });
  const headers = await openSession(url);
  let id = 0;
  return async (method, params) => {
    id += 1;
    let last: JsonObject = {};
    for await (const { message } of eventsOf(await post(url, { jsonrpc: "2.0", id, method, params }, headers)))
      last = (message as JsonObject | undefined) ?? last;
    return last;
  };
}

async function over2026(): Promise<Send> {
  const { send, close } = openEndpoint(failingTools());
  onTestFinished(close);
  return async (method, params) => {
    const { result, error } = await send(method, params);
    return { ...(result && { result }), ...(error && { error }) };
  };
}

async function overStdio(): Promise<Send> {
  const tools = failingTools();
  const engine = createEngine({ store: createMemoryStore(), tools });
  onTestFinished(() => engine.close());
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const write = async (message: object) => waiting.get(Reflect.get(message, "id"))?.(message as JsonObject);
  const connection = await StdioConnection2025.open({ definition: { name: "t", version: "1", tools }, engine, write });
  let id = 0;
  const send: Send = (method, params) => {
    id += 1;
    const answer = new Promise<JsonObject>((resolve) => waiting.set(id, resolve));
    void connection.receive({ jsonrpc: "2.0", id, method, params });
    return answer;
  };
  const clientInfo = { name: "t", version: "1" };
  await send("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  return send;
}

test.each([
  ["HTTP, 2025", over2025],
  ["HTTP, 2026", over2026],
  ["stdio, 2025", overStdio],
])("an error of another server is delivered as a result is: the same call asks it again (%s)", async (_how, open) => {
  const send = await open();
  const call = async (name: string) => JSON.stringify(await send("tools/call", { name, arguments: {} }));
  expect(await call("fine")).toContain("call 1");
  expect(await call("fine")).toContain("call 2");
  expect(await call("failed")).toContain("call 3");
  expect(await call("failed")).toContain("call 4");
  expect(await call("refused")).toContain("call 5");
  expect(await call("refused")).toContain("call 6");
});

test("a task of the 2025 era is failed where another server answered with an error, in lists too, and says why", async () => {
  const send = await over2025();
  const end = async (name: string) => {
    const { result: begun } = await send("tools/call", { name, arguments: {}, task: {} });
    const { taskId }: JsonObject = Object(Object(begun).task);
    const answer = await send("tasks/result", { taskId: String(taskId) });
    const { result: got } = await send("tasks/get", { taskId: String(taskId) });
    const { tasks }: JsonObject = Object((await send("tasks/list", {})).result);
    expect(Array.isArray(tasks) && tasks.find((task) => Object(task).taskId === taskId)).toEqual(got);
    return { answer, got: got ?? null };
  };
  const failed = await end("failed");
  expect(failed.got).toMatchObject({ status: "failed", statusMessage: "failed: call 1" });
  expect(failed.answer).toMatchObject({ result: { isError: true } });
  const refused = await end("refused");
  expect(refused.got).toMatchObject({ status: "failed", statusMessage: "failed: call 2" });
  expect(refused.answer).toMatchObject({ error: { code: -32_042, message: "call 2", data: { why: "x" } } });
  expect((await end("fine")).got).toMatchObject({ status: "completed" });
});

test("a task of the 2026 era is failed where another server answered no result", async () => {
  const { send, close } = openEndpoint(failingTools());
  onTestFinished(close);
  const end = async (name: string) => {
    const options = { capabilities: withTasksExtension };
    const { result } = await send("tools/call", { name, arguments: {} }, options);
    const get = async () => (await send("tasks/get", { taskId: String(result.taskId) }, options)).result;
    await expect.poll(async () => (await get()).status).not.toBe("working");
    return get();
  };
  expect(await end("failed")).toMatchObject({ status: "completed", result: { isError: true } });
  expect(await end("refused")).toMatchObject({ status: "failed", error: { code: -32_042, message: "call 2" } });
});
