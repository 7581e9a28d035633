import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool, type JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { ServerDefinition } from "../src/define-server.js";
import { limits } from "../src/limits.js";
import { serveStdioEras } from "../src/stdio/index.js";

const [ada, bob] = ["ada-laptop", "bob-laptop"];
const greet = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string() }),
  durable: true,
  run: async ({ name }) => `Hello, ${name}!`,
});
const invoice = defineTool({
  name: "invoice",
  description: "Has clients of its own.",
  input: z.object({ client_id: z.string() }),
  durable: true,
  run: async ({ client_id }) => ({ client_id }),
});
const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "stock", version: "1" },
};
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function connect(setup?: ServerDefinition["setup"]) {
  const tools = [greet, invoice];
  const engine = createEngine({ store: createMemoryStore(), tools });
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const written: object[] = [];
  const connection = serveStdioEras({
    definition: { name: "test", version: "1", tools, ...(setup === undefined ? {} : { setup }) },
    engine,
    write: async (message) => {
      written.push(message);
      waiting.get((message as JsonObject).id)?.(message as JsonObject);
    },
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => engine.close());
  onTestFinished(() => connection.close());
  let nextId = 0;
  const ask = (method: string, params: JsonObject = {}) => {
    const id = ++nextId;
    return new Promise<JsonObject>((resolve, reject) => {
      waiting.set(id, resolve);
      connection.receive({ jsonrpc: "2.0", id, method, params }).catch(reject);
    });
  };
  const data = async (name: string, args: JsonObject = {}, _meta: JsonObject = {}) => {
    const { result } = await ask("tools/call", { name, arguments: args, _meta });
    return Reflect.get(Object(result), "structuredContent") as unknown;
  };
  return { ask, data, written, connection };
}

test("over stdio calls without client_id mean the client that the connection named last (G10)", async () => {
  const { ask, data } = connect();
  await ask("initialize", initialize);
  await data("greet", { name: "Ada", client_id: ada });
  expect(await data("get_checkpoint_stats")).toMatchObject({ total_checkpoints: 1 });
  expect(await data("list_session_tasks", {}, { [metaKeys.clientId]: bob })).toMatchObject({ total_tasks: 0 });
  expect(await data("get_session_info")).toMatchObject({ client_id: bob });
  expect(await ask("tasks/list")).toMatchObject({ result: { tasks: [] } });
  expect(await data("get_session_info", { client_id: ada }, { [metaKeys.clientId]: bob })).toMatchObject({
    client_id: bob,
  });
  expect(await data("list_session_tasks")).toMatchObject({ persistent_id: bob });
  expect(await data("list_session_tasks", { client_id: ada })).toMatchObject({ total_tasks: 1 });
});

test("calls that come at once get their client in the order of arrival", async () => {
  const { ask, data, written } = connect();
  await ask("initialize", initialize);
  const [, before, , after] = await Promise.all([
    data("greet", { name: "Ada", client_id: ada }),
    data("get_session_info"),
    data("get_session_info", { client_id: bob }),
    data("get_session_info"),
  ]);
  expect([before, after]).toMatchObject([{ client_id: ada }, { client_id: bob }]);
  expect(written.flatMap((message) => ("id" in message ? [message.id] : [])).toSorted()).toEqual([1, 2, 3, 4, 5]);
});

test("over stdio what initialize names is the client from the beginning, and too long a name is not kept (G11)", async () => {
  const { ask, data } = connect();
  await ask("initialize", { ...initialize, _meta: { [metaKeys.clientId]: ada } });
  expect(await data("get_session_info")).toMatchObject({ client_id: ada });
  expect(await data("get_checkpoint_stats", { client_id: "x".repeat(1_000) })).toMatchObject({
    error: { code: "NO_OWNER" },
  });
  expect(await data("get_session_info")).toMatchObject({ client_id: ada });
});

test("over stdio an argument client_id that a tool has for itself is its data, and names the caller, too", async () => {
  const { ask, data } = connect((server) => {
    server.registerTool("ordinary", { inputSchema: { client_id: z.string() } }, () => ({ content: [] }));
  });
  await ask("initialize", initialize);
  expect(await data("invoice", { client_id: ada })).toEqual({ client_id: ada });
  await data("ordinary", { client_id: bob });
  expect(await data("get_session_info")).toMatchObject({ client_id: ada });
  expect(await data("invoice", { client_id: bob })).toEqual({ client_id: bob });
  expect(await data("list_session_tasks")).toMatchObject({ persistent_id: bob, total_tasks: 1 });
  expect(await data("list_session_tasks", { client_id: ada })).toMatchObject({ total_tasks: 1 });
});

test("a request of the 2026 era names the client of no other request, and gets none", async () => {
  const { ask, data } = connect();
  await data("greet", { name: "Ada", client_id: ada }, envelope);
  expect(await data("get_session_info", {}, envelope)).toMatchObject({ client_id: null });
  await ask("initialize", initialize);
  expect(await data("get_session_info")).toMatchObject({ client_id: null });
  expect(await data("get_session_info", { client_id: bob })).toMatchObject({ client_id: bob });
  expect(await data("get_session_info", {}, envelope)).toMatchObject({ client_id: null });
});

test("a server whose list of tools changes is asked again which of them take client_id", async () => {
  let rename = () => {};
  const { ask, data } = connect((server) => {
    const _meta = { [metaKeys.clientId]: "argument" };
    const config = { inputSchema: { client_id: z.string() }, _meta };
    const registered = server.registerTool("before", config, () => ({ content: [] }));
    rename = () => registered.update({ name: "after" });
  });
  await ask("initialize", initialize);
  await data("before", { client_id: ada });
  expect(await data("get_session_info")).toMatchObject({ client_id: ada });
  rename();
  await data("after", { client_id: bob });
  expect(await data("get_session_info")).toMatchObject({ client_id: bob });
});

test("a server that does not list its tools in time keeps no call waiting, and no name (G11)", async () => {
  let noteAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    noteAsked = resolve;
  });
  const { ask, data } = connect((mcp) => {
    const _meta = { [metaKeys.clientId]: "argument" };
    const config = { inputSchema: { client_id: z.string() }, _meta };
    mcp.registerTool("ordinary", config, () => ({ content: [], structuredContent: { done: true } }));
    mcp.server.setRequestHandler(ListToolsRequestSchema, () => {
      noteAsked();
      return new Promise(() => {});
    });
  });
  await ask("initialize", initialize);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(async () => void vi.useRealTimers());
  const called = data("ordinary", { client_id: ada });
  await asked;
  // What comes in the turn of the last moment is in time.
  await vi.advanceTimersByTimeAsync(limits.toolListTimeoutMs + 1);
  expect(await called).toEqual({ done: true });
  expect(await data("get_session_info")).toMatchObject({ client_id: null });
});
