import { defineTool } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { serve } from "../src/index.js";
import { afterwards, testFolder } from "./server-process.js";

test("a task of a tool with plain JSON Schema resumes at the start, before any caller comes", async () => {
  const directory = await testFolder();
  /** Serves a tool that makes one checkpoint in each attempt; resolves to the state with which its next attempt begins. */
  const serveCounting = async () => {
    let begun = (_at: number) => {};
    const beginsAt = new Promise<number>((resolve) => {
      begun = resolve;
    });
    const count = defineTool({
      name: "count",
      description: "Counts until it is stopped.",
      input: { type: "object", properties: {} },
      state: { at: 0 },
      async *run(_, task) {
        const at = task.state.at + 1;
        yield { progress: at, state: { at } };
        begun(task.state.at);
        await new Promise((_resolve, reject) => task.signal.addEventListener("abort", reject));
        return at;
      },
    });
    const definition = { name: "counting", version: "1.0.0", tools: [count] };
    const server = await serve({
      definition,
      store: createFsStore({ directory }),
      port: 0,
      engineLimits: { graceMs: 0 },
    });
    afterwards(() => server.close());
    return { server, beginsAt };
  };
  const first = await serveCounting();
  const { url } = first.server;
  const params = { name: "count", arguments: {}, _meta: { "resumable-mcp/handoff": 0 } };
  await callOnce(url, params);
  expect(await first.beginsAt).toBe(0);
  await first.server.close();
  const second = await serveCounting();
  expect(await second.beginsAt).toBe(1);
});

/** Opens a session of the 2025 era and calls a tool in it. */
async function callOnce(url: string, params: object): Promise<void> {
  const send = async (headers: Record<string, string>, message: object) => {
    const base = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(url, { method: "POST", headers: { ...base, ...headers }, body });
    await response.text();
    return response;
  };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const opened = await send({}, { id: 1, method: "initialize", params: hello });
  await send({ "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }, { id: 2, method: "tools/call", params });
}
