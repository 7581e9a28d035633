import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { type SpawnedServer, spawnServer } from "../src/servers.js";

/** A server on a store of its own, which can be killed and started again at the same address. */
async function start() {
  const store = await mkdtemp(join(tmpdir(), "conformance-"));
  let server: SpawnedServer = await spawnServer("--port", "0", "--store", store);
  const { port } = new URL(server.url);
  onTestFinished(() => rm(store, { recursive: true, maxRetries: 30, retryDelay: 100 }));
  onTestFinished(() => server.stop("SIGKILL"));
  return {
    url: server.url,
    async killAndRestart() {
      await server.stop("SIGKILL");
      server = await spawnServer("--port", port, "--store", store);
    },
  };
}

type Message = { readonly [key: string]: unknown };

const extension = { extensions: { "io.modelcontextprotocol/tasks": {} } };
/** Random enough to be an owner of its own. */
const clientId = "u5wq0Jx2Zc8vN1bT7hKd3RfYs6Lm9PgA";

/** A client of the 2026 era at its simplest: each request is one fetch. */
function client2026(url: string, capabilities: Message) {
  let nextId = 1;
  return async (method: string, params: Message): Promise<Message> => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, ...capabilities },
      "resumable-mcp/client_id": clientId,
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params.name ?? params.taskId),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params: { ...params, _meta } });
    const answer = (await (await fetch(url, { method: "POST", headers, body })).json()) as Message;
    expect(answer.error).toBeUndefined();
    return answer.result as Message;
  };
}

type Send = ReturnType<typeof client2026>;

/** Polls a task as a client does. */
async function pollUntil(send: Send, taskId: unknown, status: string): Promise<Message> {
  for (;;) {
    const task = await send("tasks/get", { taskId });
    if (task.status === status) return task;
    expect(["working", "input_required"]).toContain(task.status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("G1 a task of the 2026 era continues by itself after SIGKILL of the server", async () => {
  const server = await start();
  const send = client2026(server.url, extension);
  const { taskId } = await send("tools/call", { name: "slow_compute", arguments: { seconds: 2, label: "durable" } });
  await server.killAndRestart();
  const task = await pollUntil(send, taskId, "completed");
  expect(task).toMatchObject({ result: { content: [{ text: "Computed durable for 2 s." }] } });
});

test("G9 a task's question survives SIGKILL, and its answer reaches the new process", async () => {
  const server = await start();
  const send = client2026(server.url, extension);
  const { taskId } = await send("tools/call", { name: "confirm_delete", arguments: { filename: "a.txt" } });
  const before = await pollUntil(send, taskId, "input_required");
  await server.killAndRestart();
  expect(await pollUntil(send, taskId, "input_required")).toMatchObject({ inputRequests: before.inputRequests });
  await send("tasks/update", {
    taskId,
    inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
  });
  expect(await pollUntil(send, taskId, "completed")).toMatchObject({
    result: { content: [{ text: "Deleted a.txt." }] },
  });
});

test("G9 a call without tasks is answered after SIGKILL by the state that it was given before", async () => {
  const server = await start();
  const send = client2026(server.url, {});
  const call = { name: "test_input_required_result_elicitation", arguments: {} };
  const asked = await send("tools/call", call);
  expect(asked).toMatchObject({ resultType: "input_required", inputRequests: { user_name: {} } });
  await server.killAndRestart();
  const inputResponses = { user_name: { action: "accept", content: { name: "Ada" } } };
  const answered = await send("tools/call", { ...call, inputResponses, requestState: asked.requestState });
  expect(answered).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a task begun in the 2025 era is found and finished in the 2026 era after SIGKILL", async () => {
  const server = await start();
  const client = new Client({ name: "stock", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const _meta = { "resumable-mcp/client_id": clientId, "resumable-mcp/handoff": 0 };
  const running = await client.callTool({ name: "confirm_delete", arguments: { filename: "b.txt" }, _meta });
  const { task_id: taskId } = running.structuredContent as Message;
  await client.close();
  await server.killAndRestart();
  const send = client2026(server.url, extension);
  await pollUntil(send, taskId, "input_required");
  await send("tasks/update", {
    taskId,
    inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
  });
  expect(await pollUntil(send, taskId, "completed")).toMatchObject({
    result: { content: [{ text: "Deleted b.txt." }] },
  });
});

test("G1 the result of a task of 2025-11-25 is waited for across SIGKILL, by a stock client", async () => {
  const server = await start();
  const client = new Client({ name: "stock", version: "1" });
  let opened = () => {};
  const waiting = new Promise<void>((resolve) => {
    opened = resolve;
  });
  // A client comes back to a stream only when an event of it has reached it.
  const watched = async (url: string | URL, init?: RequestInit) => {
    const response = await fetch(url, init);
    if (!String(init?.body).includes("tasks/result") || response.body === null) return response;
    const transform = (chunk: Uint8Array, controller: TransformStreamDefaultController) => {
      controller.enqueue(chunk);
      opened();
    };
    return new Response(response.body.pipeThrough(new TransformStream({ transform })), response);
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { fetch: watched }));
  onTestFinished(() => client.close());
  const params = { name: "slow_compute", arguments: { seconds: 3, label: "old" }, task: {} };
  const { task } = await client.request({ method: "tools/call", params }, CreateTaskResultSchema);
  const result = client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  await waiting;
  await server.killAndRestart();
  expect(await result).toMatchObject({ content: [{ text: "Computed old for 3 s." }] });
});
