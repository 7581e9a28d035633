import { fileURLToPath } from "node:url";
import type { JsonObject } from "@resumable-mcp/core";
import { createSessionHandler, local } from "@resumable-mcp/mcp";
import { createHandler2026 } from "@resumable-mcp/mcp/2026";
import type { UpstreamSubscribed } from "@resumable-mcp/mcp/define-server";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { expect, onTestFinished, test } from "vitest";
import { wrapLimits } from "../src/limits.js";
import { openWrapped } from "./open-wrapped.js";

const program = fileURLToPath(new URL("changing-server.js", import.meta.url));
const url = "http://127.0.0.1/mcp";
const accept = "application/json, text/event-stream";
const signal = new AbortController().signal;

async function open() {
  const opened = await openWrapped({ command: "node", args: [program] });
  const { tasks, definition } = opened;
  let calls = 0;
  const call = async (tool: string): Promise<string> => {
    calls += 1;
    const { record } = await tasks.start({ tool, input: { calls } });
    const { output } = (await tasks.wait(record.id)).record;
    return String(Object(Object(output).result).content?.[0]?.text);
  };
  const subscribe = async (uri: string, updated: (uri: string) => void, owner = tasks.owner) =>
    (await definition.upstream?.subscribe({ owner, era: "2025", uri, signal, updated })) ?? { end: () => {} };
  return { ...opened, call, subscribe };
}

const end = (subscribed: UpstreamSubscribed) => "end" in subscribed && subscribed.end();

/** Gives the messages of a stream one by one, as they have come until now. */
function messagesOf({ body }: Response): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  void (async () => {
    for await (const { data } of events ?? []) if (data !== "") messages.push(JSON.parse(data));
  })().catch(() => {});
  return messages;
}

test("a server is subscribed to for as long as one hears of it, and again when it was started again", async () => {
  const { call, subscribe } = await open();
  const heard: string[] = [];
  const first = await subscribe("file:///a", (uri) => heard.push(`1 ${uri}`));
  const second = await subscribe("file:///a", (uri) => heard.push(`2 ${uri}`));
  const whole = await subscribe("file:///b/", (uri) => heard.push(uri));
  await call("change");
  await expect.poll(() => heard).toEqual(["1 file:///a", "2 file:///a", "file:///b/part"]);
  end(first);
  heard.length = 0;
  await call("die");
  // What changed in the meantime is not known.
  await expect.poll(() => [...heard].sort()).toEqual(["2 file:///a", "file:///b/"]);
  // A caller of the other era has the same server, also then.
  expect(JSON.parse(await call("subscribed"))).toEqual(["file:///a", "file:///b/"]);
  end(second);
  end(whole);
  await expect.poll(() => call("subscribed")).toBe("[]");
});

test("a subscription that the server refuses is none, and those of one server have a limit", async () => {
  const { subscribe } = await open();
  expect(await subscribe("none:a", () => {})).toEqual({ error: { code: -32_602, message: "It has none." } });
  const many = Array.from({ length: wrapLimits.maxSubscribed }, (_, count) => subscribe(`file:///${count}`, () => {}));
  const subscribed = await Promise.all(many);
  expect(subscribed.every((one) => "end" in one)).toBe(true);
  expect(await subscribe("file:///more", () => {})).toMatchObject({
    error: { message: expect.stringContaining("maxSubscribed") },
  });
});

/** The last message of an answer. */
async function lastOf(response: Response): Promise<JsonObject> {
  const lines = (await response.text()).split("\n").map((line) => line.replace(/^data: /, ""));
  return JSON.parse(lines.findLast((line) => line.startsWith("{")) ?? "{}");
}

const lists = ["prompts", "resources", "tools"].map((part) => `notifications/${part}/list_changed`);
const json = { "content-type": "application/json", accept };

test("a session hears of the resources that it subscribed to, and of lists, by its stream", async () => {
  const { engine, definition } = await open();
  const handler = createSessionHandler({ engine, definition });
  onTestFinished(() => handler.close());
  const ask = (init: RequestInit) => handler.fetch(new Request(url, init), { locality: local });
  let id = 0;
  const post = (method: string, params: JsonObject, headers = {}) => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return ask({ method: "POST", headers: { ...json, ...headers }, body });
  };
  const clientInfo = { name: "t", version: "1" };
  const opened = await post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const send = async (method: string, params: JsonObject) => lastOf(await post(method, params, session));
  const call = async (name: string) => JSON.stringify(await send("tools/call", { name, arguments: {} }));
  const messages = messagesOf(await ask({ headers: { ...session, accept: "text/event-stream" } }));
  expect(await send("resources/subscribe", { uri: "file:///a" })).toMatchObject({ result: {} });
  expect(await send("resources/subscribe", { uri: "none:a" })).toMatchObject({ error: { message: "It has none." } });
  await call("change");
  const methods = () => messages.map(({ method }) => method).sort();
  await expect.poll(methods).toEqual([...lists, "notifications/resources/updated"].sort());
  expect(messages).toContainEqual(expect.objectContaining({ params: { uri: "file:///a" } }));
  expect(await send("resources/unsubscribe", { uri: "file:///a" })).toMatchObject({ result: {} });
  await expect.poll(() => call("subscribed")).toContain('"[]"');
});

test("a subscription of the 2026 era hears of the resources that it names, and of lists", async () => {
  const { engine, definition } = await open();
  const handler = createHandler2026({ engine, definition });
  onTestFinished(() => handler.close());
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const post = (method: string, params: JsonObject, signal?: AbortSignal) => {
    const named = typeof params.name === "string" && { "mcp-name": params.name };
    const headers = { ...json, "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named };
    const body = JSON.stringify({ jsonrpc: "2.0", id: method, method, params: { ...params, _meta } });
    return handler.fetch(new Request(url, { method: "POST", headers, body, signal: signal ?? null }), {
      locality: local,
    });
  };
  const call = async (name: string) => JSON.stringify(await lastOf(await post("tools/call", { name, arguments: {} })));
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const notifications = { ...all, resourceSubscriptions: ["file:///a", "none:a"] };
  const leaving = new AbortController();
  const messages = messagesOf(await post("subscriptions/listen", { notifications }, leaving.signal));
  await expect.poll(() => messages).toHaveLength(1);
  const granted = { ...all, resourceSubscriptions: ["file:///a"] };
  expect(messages[0]).toMatchObject({ params: { notifications: granted } });
  await call("change");
  const methods = () =>
    messages
      .slice(1)
      .map(({ method }) => method)
      .sort();
  await expect.poll(methods).toEqual([...lists, "notifications/resources/updated"].sort());
  leaving.abort();
  await expect.poll(() => call("subscribed")).toContain('"[]"');
});
