import { defineTool } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { serve } from "../src/index.js";
import { afterwards, testFolder } from "./server-process.js";
import { rawCaller } from "./two-owners/raw-caller.js";

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
  const caller = rawCaller(first.server.url, { subject: "any", owner: undefined, headers: {} });
  const meta = { "resumable-mcp/handoff": 0 };
  await caller.send2025("tools/call", { name: "count", arguments: {} }, { meta });
  expect(await first.beginsAt).toBe(0);
  await first.server.close();
  const second = await serveCounting();
  expect(await second.beginsAt).toBe(1);
});
