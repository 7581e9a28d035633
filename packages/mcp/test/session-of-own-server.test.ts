import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createSessionHandler, registerTools } from "../src/index.js";
import { countTool } from "./counting-tool.js";

/** Sessions of a server that its author made. */
function openSessions() {
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  const createServer = () => {
    const server = new McpServer({ name: "own", version: "1" });
    server.registerTool("tell", {}, async () => ({ content: [{ type: "text", text: "said" }] }));
    server.registerPrompt("greet", {}, () => ({ messages: [] }));
    registerTools(server, engine, { prefix: "my_" });
    return server;
  };
  const handler = createSessionHandler({ engine, createServer });
  onTestFinished(async () => {
    await handler.close();
    await engine.close();
  });
  let session = {};
  let id = 0;
  return async (method: string, params: object): Promise<JsonObject> => {
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json", ...session };
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const response = await handler.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
    session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
    const [message = "{}"] = (await response.text())
      .split("\n")
      .flatMap((line) => /^(?:data: )?({.*})$/.exec(line)?.[1] ?? [])
      .slice(-1);
    return JSON.parse(message);
  };
}

const namesIn = ({ result }: JsonObject, list: string) =>
  [...Reflect.get(Object(result), list)].map(({ name }: { name: string }) => name);

test("a session of a server with registerTools offers each of its own tools, prompts and tasks once, and ours by their names", async () => {
  const ask = openSessions();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  expect(await ask("initialize", params)).toMatchObject({
    result: {
      serverInfo: { name: "own" },
      capabilities: { tasks: { list: {} }, logging: {}, resources: { subscribe: true } },
    },
  });
  const tools = namesIn(await ask("tools/list", {}), "tools");
  expect([...tools].sort()).toEqual([...new Set(tools)].sort());
  expect(tools).toEqual(expect.arrayContaining(["count_to", "my_wait_for_task", "tell"]));
  expect(namesIn(await ask("prompts/list", {}), "prompts")).toEqual(["unfinished_tasks", "greet"]);
  const counted = await ask("tools/call", { name: "count_to", arguments: { n: 2 } });
  expect(counted).toMatchObject({ result: { structuredContent: { counted: 2 } } });
  const taskId = Object(Reflect.get(Object(counted.result), "_meta"))[metaKeys.taskId];
  expect(namesIn(await ask("resources/list", {}), "resources")).toEqual([taskId]);
  expect(await ask("tools/call", { name: "tell", arguments: {} })).toMatchObject({
    result: { content: [{ text: "said" }] },
  });
  expect(await ask("tasks/get", { taskId })).toMatchObject({ result: { taskId, status: "completed" } });
  expect(await ask("tools/call", { name: "none" })).toMatchObject({
    result: { structuredContent: { error: { code: "UNKNOWN_TOOL", message: expect.stringContaining("tell") } } },
  });
});
