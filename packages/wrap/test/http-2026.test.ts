import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject, TaskView } from "@resumable-mcp/core";
import { expect, it, onTestFinished } from "vitest";
import type { WrapOptions } from "../src/index.js";
import { openWrapped } from "./open-wrapped.js";

/** A request without a session, and what answers it. */
interface Asked {
  readonly params: JsonObject;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  readonly send: (result: object) => void;
}

interface Remote {
  readonly url: string;
  readonly calls: Asked[];
  /** What it says that its version is. */
  version: string;
  /** What it says of its tool, if it has it. */
  listed: readonly JsonObject[];
}

async function listen(
  answer: (message: JsonObject, headers: IncomingHttpHeaders, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    answer(body === "" ? {} : JSON.parse(body), request.headers, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function remote(call: (asked: Asked, count: number) => void): Promise<Remote> {
  const calls: Asked[] = [];
  const answer = ({ id, method, params = {} }: JsonObject, headers: IncomingHttpHeaders, response: ServerResponse) => {
    const send = (result: object): void => {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } }));
    };
    if (method === "server/discover") {
      const serverInfo = { name: "far", version: opened.version };
      const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
      return send({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, _meta });
    }
    if (method === "tools/list") return send({ tools: opened.listed });
    if (method !== "tools/call") return void response.writeHead(400).end();
    const asked = { params: Object(params), headers, response, send };
    calls.push(asked);
    call(asked, calls.length);
  };
  const properties = { place: { type: "string", "x-mcp-header": "Place" } };
  const listed = [{ name: "wörk", inputSchema: { type: "object", properties }, annotations: { idempotentHint: true } }];
  const opened: Remote = { url: await listen(answer), calls, version: "1", listed };
  return opened;
}

async function open(url: string, rules: Pick<WrapOptions, "repeat" | "passHeaders" | "trustAnnotations"> = {}) {
  const { definition, tasks } = await openWrapped({ url, ...rules });
  const call = async (input: JsonObject = {}): Promise<TaskView> => {
    const { record } = await tasks.start({ tool: "wörk", input });
    return tasks.wait(record.id);
  };
  return { definition, tasks, call };
}

const done = { content: [{ type: "text", text: "done" }] };
const outputOf = ({ record }: TaskView) => JSON.stringify(record.output);

it("a server of the 2026 era gets the headers that repeat what a request says, and no session", async () => {
  const far = await remote(({ send }) => send(done));
  const { call } = await open(far.url);
  expect(outputOf(await call({ place: " Köln" }))).toContain("done");
  const base64 = (said: string) => `=?base64?${Buffer.from(said).toString("base64")}?=`;
  expect(far.calls[0]?.headers).toMatchObject({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": base64("wörk"),
    "mcp-param-place": base64(" Köln"),
  });
  expect(far.calls[0]?.headers).not.toHaveProperty("mcp-session-id");
});

it("a log level that is not one is refused, and spoils no later request", async () => {
  const far = await remote(({ send }) => send(done));
  const { call, definition } = await open(far.url);
  const signal = new AbortController().signal;
  const params = { level: "loud" };
  expect(
    await definition.upstream?.ask({ owner: "local:test", era: "2026", method: "logging/setLevel", params, signal }),
  ).toMatchObject({ error: { code: -32602 } });
  await call();
  expect(far.calls[0]?.params._meta).toMatchObject({ "io.modelcontextprotocol/logLevel": "info" });
});

it("a server that asks by a method without a text gets no answer, and its call ends", async () => {
  const far = await remote(({ send }) =>
    send({ resultType: "input_required", inputRequests: { a: { method: { toString: 1 } } } }),
  );
  const { call } = await open(far.url);
  const { status, output } = (await call()).record;
  expect([status, JSON.stringify(output)]).toEqual(["completed", expect.stringContaining("No client of this call")]);
});

it("a server that asks what no form can show gets an error, and its call ends without a question", async () => {
  const requestedSchema = { type: "object", properties: { address: { type: "object" } } };
  const params = { message: "Where?", requestedSchema };
  const far = await remote(({ send }) =>
    send({ resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params } } }),
  );
  const { call } = await open(far.url);
  const { status, output, remembered } = (await call()).record;
  expect([status, JSON.stringify(output)]).toEqual(["completed", expect.stringContaining("MCP's forms are flat")]);
  expect(Object.values(remembered).filter(({ kind }) => kind === "question")).toEqual([]);
});

it("a call that is cancelled ends the connection of its request", async () => {
  const far = await remote(() => {});
  const { tasks } = await open(far.url);
  const { record } = await tasks.start({ tool: "wörk", input: {} });
  await expect.poll(() => far.calls.length).toBe(1);
  const closed = once(far.calls[0]?.response as ServerResponse, "close");
  await tasks.cancel(record.id);
  await closed;
  await expect.poll(async () => (await tasks.get(record.id)).status).toBe("cancelled");
});

it("a request whose answer breaks off is made again with the last requestState", async () => {
  const far = await remote(({ response, send }, count) => {
    if (count === 1) send({ resultType: "input_required", requestState: "one" });
    else if (count === 2) response.destroy();
    else send(done);
  });
  const { call } = await open(far.url);
  expect(outputOf(await call())).toContain("done");
  expect(far.calls.map(({ params }) => params.requestState)).toEqual([undefined, "one", "one"]);
});

it("hears of tools that changed, also where it did not hear at that time", async () => {
  let names = ["one"];
  const streams: ServerResponse[] = [];
  const heard: unknown[] = [];
  const url = await listen(({ id, method, params }, _headers, response) => {
    if (method === "subscriptions/listen") {
      heard.push(Object(params).notifications);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged" })}\n\n`,
      );
      return void streams.push(response);
    }
    const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
    const result = method === "tools/list" ? { tools } : { supportedVersions: ["2026-07-28"], capabilities };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const { definition } = await open(url);
  const listed = () => definition.upstream?.tools.map(({ name }) => name);
  await expect.poll(() => streams.length).toBe(1);
  names = ["one", "two"];
  streams[0]?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n\n`);
  await expect.poll(listed).toEqual(names);
  names = ["three"];
  streams[0]?.destroy();
  await expect.poll(listed, { timeout: 5_000 }).toEqual(names);
  await expect.poll(() => streams.length).toBe(2);

  const changes: string[] = [];
  const { signal } = new AbortController();
  const subscription = { owner: "local:test", era: "2026", uri: "file:///a", signal } as const;
  const updatedUri = (uri: string) => void changes.push(uri);
  expect(await definition.upstream?.subscribe({ ...subscription, updated: updatedUri })).toHaveProperty("end");
  await expect.poll(() => streams.length).toBe(3);
  expect(heard.at(-1)).toEqual({ toolsListChanged: true, resourceSubscriptions: ["file:///a"] });
  const updated = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "file:///a" } };
  streams[2]?.write(`data: ${JSON.stringify(updated)}\n\n`);
  await expect.poll(() => changes).toContain("file:///a");
});

it("a request is made again with the checkpoint that it had sent itself, and with none of the request before it", async () => {
  const far = await remote(({ response, send, params }, count) => {
    const { progressToken } = Object(params._meta);
    const checkpoint = { "io.github.resumable-mcp/checkpoint": { state: `of ${count}` } };
    const progress = { progressToken, progress: count, _meta: checkpoint };
    const report = { jsonrpc: "2.0", method: "notifications/progress", params: progress };
    const stream = () => response.writeHead(200, { "content-type": "text/event-stream" });
    const state = { resultType: "input_required", requestState: "one" };
    if (count === 1)
      stream().end(
        `data: ${JSON.stringify(report)}\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: progressToken, result: state })}\n\n`,
      );
    else if (count === 2) response.destroy();
    else if (count === 3) stream().end(`data: ${JSON.stringify(report)}\n\n`);
    else send(done);
  });
  const { call } = await open(far.url);
  expect(outputOf(await call())).toContain("done");
  expect(far.calls.map(({ params }) => params.requestState)).toEqual([undefined, "one", "one", "one"]);
  const resumed = far.calls.map(({ params }) => Object(params._meta)["io.github.resumable-mcp/resume"]);
  expect(resumed).toEqual([undefined, undefined, undefined, { state: "of 3", attempt: 3 }]);
});

const plain = { name: "wörk", inputSchema: { type: "object" } };
const always = { repeat: { wörk: "always" } } as const;

it.each([
  ["is made again from the beginning, where that does no harm", always, {}, "done"],
  ["is not, where its server is another version now", always, { version: "2" }, "is another version now"],
  [
    "is not, where its server no longer says that it does no harm",
    { trustAnnotations: true },
    { listed: [plain] },
    "may or",
  ],
  ["is not, where its server says something else of it now", always, { listed: [plain] }, "is another version now"],
  ["is not, where its server has it no longer", always, { listed: [] }, "is another version now"],
] as const)("a call whose answer breaks off %s", async (_what, rules, change, said) => {
  const far = await remote(({ response, send }, count) => {
    Object.assign(far, change);
    if (count === 1) response.destroy();
    else send(done);
  });
  const { call } = await open(far.url, rules);
  expect(outputOf(await call())).toContain(said);
  expect(far.calls).toHaveLength(said === "done" ? 2 : 1);
});

it.each([
  [
    "400 with an error of JSON-RPC",
    400,
    { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "No session." } },
  ],
  ["404", 404, "Not found"],
  ["500", 500, "<html>"],
  ["a version that it cannot", 200, { jsonrpc: "2.0", id: 1, result: { supportedVersions: ["2027-01-01"] } }],
])("a server that answers a request without a session with %s is of the 2025 era", async (_what, status, body) => {
  const url = await listen(({ id, method }, _headers, response) => {
    const serverInfo = { name: "old", version: "1" };
    const said = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
    const isKnown = method === "initialize";
    const answer = isKnown ? { jsonrpc: "2.0", id, result: said } : body;
    response.writeHead(isKnown ? 200 : status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  expect((await open(url)).definition).toMatchObject({ name: "old" });
});
