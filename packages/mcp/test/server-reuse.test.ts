import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { createMemoryStore } from "@resumable-mcp/core";
import { afterEach, expect, test, vi } from "vitest";
import type { ServerDefinition } from "../src/define-server.js";
import { countTool, createGate } from "./counting-tool.js";
import { messagesOf, openEndpoint, withTasksExtension } from "./endpoint-2026.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.restoreAllMocks();
});

/** An endpoint, and how many servers were built for it. */
function begin(gate = createGate(), setup2026?: ServerDefinition["setup2026"]) {
  const prompts = vi.spyOn(McpServer.prototype, "registerPrompt");
  const to = openEndpoint([countTool(gate)], createMemoryStore(), { setup2026 });
  closing.push(to.close);
  return { to, gate, built: () => prompts.mock.calls.length };
}
const call = { name: "count_to", arguments: { n: 1 } };

test("a request of the 2026 era builds no server, whatever the method and the caller", async () => {
  const { to, gate, built } = begin();
  await to.send("tools/list");
  gate.open();
  expect((await to.send("tools/call", call)).result).toMatchObject({ structuredContent: { counted: 1 } });
  await to.send("tools/call", { name: "list_session_tasks", arguments: {} }, { user: "eve" });
  await to.send("tools/call", { name: "none" });
  const listening = await to.open("subscriptions/listen", { notifications: { toolsListChanged: true } });
  await listening.body?.cancel();
  await to.send("tools/call", call, { capabilities: withTasksExtension });
  expect(built()).toBe(0);
});

test("200 requests one after the other and 50 at once build no server, and setup2026 runs once", async () => {
  const gate = createGate();
  let inside = 0;
  let setups = 0;
  const { to, built } = begin(gate, (server) => {
    setups += 1;
    server.registerTool("whoami", { description: "Gives the caller back." }, async ({ http }) => {
      inside += 1;
      await gate.pass();
      return { content: [{ type: "text", text: String(http?.authInfo?.extra?.sub) }] };
    });
  });
  await to.send("tools/list");
  const before = built();
  gate.open(200);
  const ask = async (user: string) =>
    (await to.send("tools/call", { name: "whoami" }, { user, id: "same" })).result.content;
  for (let index = 0; index < 200; index++) {
    expect(await ask(`${index}`)).toEqual([{ type: "text", text: `${index}` }]);
  }
  const users = Array.from({ length: 50 }, (_, index) => `user-${index}`);
  const asked = Promise.all(users.map(ask));
  await vi.waitFor(() => expect(inside).toBe(250), { timeout: 60_000 });
  gate.open(50);
  expect(await asked).toEqual(users.map((user) => [{ type: "text", text: user }]));
  expect([built() - before, setups]).toEqual([0, 1]);
});

test("requests of the same id are cancelled one by one, and what is sent for one reaches no other", async () => {
  const contexts: ServerContext[] = [];
  const gate = createGate();
  const { to } = begin(gate, (server) => {
    server.registerTool("wait", { description: "Waits." }, async (context) => {
      contexts.push(context);
      await gate.pass();
      return { content: [] };
    });
  });
  const caller = new AbortController();
  const left = to.open("tools/call", { name: "wait" }, { signal: caller.signal, id: 1 }).catch(() => undefined);
  await vi.waitFor(() => expect(contexts).toHaveLength(1), { timeout: 60_000 });
  const staying = to.open("tools/call", { name: "wait" }, { id: 1 });
  await vi.waitFor(() => expect(contexts).toHaveLength(2), { timeout: 60_000 });
  caller.abort();
  await left;
  expect(contexts.map(({ mcpReq }) => mcpReq.signal.aborted)).toEqual([true, false]);
  const progress = (value: number) => ({
    method: "notifications/progress" as const,
    params: { progressToken: "p", progress: value },
  });
  await contexts[0]?.mcpReq.notify(progress(1)).catch(() => {});
  await contexts[1]?.mcpReq.notify(progress(2));
  gate.open(2);
  const messages: unknown[] = [];
  for await (const message of messagesOf(await staying)) messages.push(message);
  expect(messages).toMatchObject([progress(2), { id: 1, result: { content: [] } }]);
});

test("a setup2026 that fails is tried again by the next request", async () => {
  let runs = 0;
  const { to } = begin(createGate(), () => {
    runs += 1;
    if (runs === 1) throw new Error("not yet");
  });
  expect((await to.send("tools/list")).status).toBe(500);
  expect((await to.send("tools/list")).status).toBe(200);
  await to.send("tools/list");
  expect(runs).toBe(2);
});

test("a request of the 2026 era leaves nothing behind in a signal of the engine (G11)", async () => {
  const any = vi.spyOn(AbortSignal, "any");
  const listen = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const { to, gate } = begin();
  gate.open(20);
  for (let n = 1; n <= 20; n++) await to.send("tools/call", { name: "count_to", arguments: { n: 1 } });
  await to.send("tools/call", { name: "list_session_tasks", arguments: {} });
  const { drainSignal } = to.engine;
  const joined = any.mock.calls.filter(([signals]) => [...signals].includes(drainSignal));
  const listeners = listen.mock.contexts.filter((signal) => signal === drainSignal);
  expect([joined.length, listeners.length]).toEqual([0, 1]);
});
