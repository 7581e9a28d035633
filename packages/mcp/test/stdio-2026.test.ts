import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createEngine, createMemoryStore, type JsonObject, type Tool } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { registerTools2026, withStdioTasks } from "../src/era-2026/index.js";
import { countTool, createGate } from "./counting-tool.js";

const version = "2026-07-28";
/** A client connected as over stdio: one connection, one server. */
async function connect(...tools: Tool[]) {
  const engine = createEngine({ store: createMemoryStore(), tools, limits: { graceMs: 20, drainTimeoutMs: 20 } });
  const [here, there] = InMemoryTransport.createLinkedPair();
  overAWire(there);
  const createServer = () => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools2026(server, engine);
    return server;
  };
  const server = serveStdio(createServer, { transport: withStdioTasks(there, engine) });
  const client = new Client({ name: "stock", version: "1" }, { versionNegotiation: { mode: { pin: version } } });
  await client.connect(here);
  onTestFinished(() => engine.close());
  onTestFinished(() => server.close());
  onTestFinished(() => client.close());
  return { engine, client, transport: here };
}

/** Only what is JSON gets through. */
function overAWire(transport: InMemoryTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(JSON.parse(JSON.stringify(message)), options);
}

/** Sends messages past the client, as a requester of tasks has to: the client knows no tasks. */
function rawDispatch(transport: InMemoryTransport) {
  const previous = transport.onmessage;
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const others: JsonObject[] = [];
  const heard: (() => void)[] = [];
  transport.onmessage = (message, extra) => {
    const { id, method } = message as unknown as JsonObject;
    const resolve = method === undefined ? waiting.get(id) : undefined;
    if (resolve !== undefined) return resolve(message as unknown as JsonObject);
    others.push(message as unknown as JsonObject);
    for (const wake of heard.splice(0)) wake();
    previous?.(message, extra);
  };
  let count = 0;
  const send = (request: object) => {
    count += 1;
    const id = `raw-${count}`;
    return new Promise<JsonObject>((resolve, reject) => {
      waiting.set(id, resolve);
      transport.send({ jsonrpc: "2.0", id, ...request } as never).catch(reject);
    });
  };
  /** The next message that answers nothing. */
  const next = async (): Promise<JsonObject> => {
    while (others.length === 0) await new Promise<void>((resolve) => heard.push(resolve));
    return others.shift() as JsonObject;
  };
  return { send, next };
}

const framing = { protocolVersion: version, clientInfo: { name: "stock", version: "1" }, clientCapabilities: {} };

test("a requester of tasks gets its result over one connection", async () => {
  const { client, transport } = await connect(countTool());
  const { send } = rawDispatch(transport);
  const session = createTaskSessionFromClient(client, {
    endpointId: "test",
    v2RequestFraming: framing,
    rawDispatch: async (request) => {
      const { result = null } = await send(request as JsonObject);
      return { kind: "result", result };
    },
  });
  const execution = await session.callTool("count_to", { n: 2 });
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { counted: 2, attempts: 1 } });
  await session.close();
});

const _meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

test("a subscription over one connection tells of its tasks until it is cancelled", async () => {
  const gate = createGate();
  const { transport } = await connect(countTool(gate));
  const { send, next } = rawDispatch(transport);
  const called = await send({ method: "tools/call", params: { name: "count_to", arguments: { n: 2 }, _meta } });
  const { taskId } = called.result as JsonObject;
  const notifications = { taskIds: [taskId, "unknown"] };
  await transport.send({
    jsonrpc: "2.0",
    id: "listen",
    method: "subscriptions/listen",
    params: { notifications, _meta },
  });
  expect(await next()).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
  expect(await next()).toMatchObject({ method: "notifications/tasks", params: { taskId, status: "working" } });
  gate.open(2);
  let last = await next();
  while ((last.params as JsonObject).status !== "completed") last = await next();
  expect(last.params).toMatchObject({ result: { structuredContent: { counted: 2 } } });
});

test("listening to tasks needs the extension", async () => {
  const { transport } = await connect(countTool());
  const { send } = rawDispatch(transport);
  const bare = { ..._meta, "io.modelcontextprotocol/clientCapabilities": {} };
  const params = { notifications: { taskIds: ["any"] }, _meta: bare };
  expect(await send({ method: "subscriptions/listen", params })).toMatchObject({ error: { code: -32_021 } });
});
