import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, expect, test, vi } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { openEndpoint, withTasksExtension } from "./endpoint-2026.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.restoreAllMocks();
});

/** An endpoint, and how many servers were built for it. */
function begin(gate = createGate()) {
  const prompts = vi.spyOn(McpServer.prototype, "registerPrompt");
  const to = openEndpoint([countTool(gate)]);
  closing.push(to.close);
  return { to, gate, built: () => prompts.mock.calls.length };
}
const call = { name: "count_to", arguments: { n: 1 } };

test("a request of the 2026 era builds no server when one is idle, whatever the method and the caller", async () => {
  const { to, gate, built } = begin();
  await to.send("tools/list");
  gate.open();
  expect((await to.send("tools/call", call)).result).toMatchObject({ structuredContent: { counted: 1 } });
  await to.send("tools/call", { name: "list_session_tasks", arguments: {} }, { user: "eve" });
  await to.send("tools/call", { name: "none" });
  const listening = await to.open("subscriptions/listen", { notifications: { toolsListChanged: true } });
  await listening.body?.cancel();
  await to.send("tools/call", call, { capabilities: withTasksExtension });
  expect(built()).toBe(1);
});

test("a server whose caller left before its response serves no other: what its handler sends reaches no one else", async () => {
  const { to, gate, built } = begin();
  const caller = new AbortController();
  const left = to.open("tools/call", { ...call, _meta: { progressToken: "p" } }, { signal: caller.signal });
  await vi.waitFor(async () => expect(await to.engine.forOwner("sub:ada").count()).toMatchObject({ total: 1 }));
  caller.abort();
  await left.then((response) => response.body?.cancel()).catch(() => {});
  gate.open();
  await to.send("tools/list");
  await to.send("tools/list");
  expect(built()).toBe(2);
});
