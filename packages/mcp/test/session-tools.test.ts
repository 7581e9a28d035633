import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { findHandler, forSdk } from "../src/sdk-workarounds.js";
import { openEndpoint, openSession, post } from "./http-endpoint.js";

/** What is said at once is answered without a stream. */
async function say() {
  await setTimeout(20);
  return { content: [{ type: "text" as const, text: "said" }] };
}

test("each session's server says itself which of its tools may run again", async () => {
  let sessions = 0;
  const { engine, url, close } = await openEndpoint({
    tools: [],
    setup: (server) => {
      const annotations = { idempotentHint: ++sessions > 1 };
      server.registerTool("tell", { annotations }, say);
    },
  });
  onTestFinished(close);
  const eventIdOfCall = async () => {
    const session = await openSession(url);
    const params = { name: "tell", arguments: {} };
    const response = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, session);
    return /^id: (.*)$/m.exec(await response.text())?.[1];
  };
  expect(await eventIdOfCall()).toMatch(/^once_/);
  expect(await eventIdOfCall()).not.toMatch(/^once_/);
  expect(engine.tools).toEqual([]);
});

test("a call that ends in its turn is answered with JSON, and with a stream as soon as there is more to say", async () => {
  const content = [{ type: "text" as const, text: "said" }];
  const { url, close } = await openEndpoint({
    tools: [],
    setup: (server) => {
      server.registerTool("tell", {}, async () => ({ content }));
      server.registerTool("report", {}, async ({ _meta, sendNotification }) => {
        const params = { progressToken: _meta?.progressToken ?? 0, progress: 1 };
        await sendNotification({ method: "notifications/progress", params });
        return { content };
      });
    },
  });
  onTestFinished(close);
  const session = await openSession(url);
  const call = async (name: string) => {
    const params = { name, arguments: {}, _meta: { progressToken: "p" } };
    const response = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, session);
    return [response.headers.get("content-type"), await response.text()];
  };
  expect(await call("tell")).toEqual([
    "application/json",
    JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content } }),
  ]);
  const [type, text] = await call("report");
  expect(type).toBe("text/event-stream");
  expect(text).toMatch(/^id: .*"progress":1.*"result"/s);
});

test("what a tool reports before its stream has begun arrives, though it is more than a stream keeps", async () => {
  const { url, close } = await openEndpoint({
    tools: [],
    limits: { maxReplayEvents: 2 },
    setup: (server) =>
      server.registerTool("report", {}, async ({ sendNotification }) => {
        const tell = (progress: number) =>
          sendNotification({ method: "notifications/progress", params: { progressToken: "p", progress } });
        await Promise.all([1, 2, 3, 4].map(tell));
        return { content: [] };
      }),
  });
  onTestFinished(close);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "report", arguments: {} } };
  const text = await (await post(url, call, await openSession(url))).text();
  expect([...text.matchAll(/"progress":(\d)/g)].map(([, progress]) => progress)).toEqual(["1", "2", "3", "4"]);
});

test("a server that fails to list its tools once is asked again: later calls may run again after a restart", async () => {
  let refusals = 1;
  const { url, close } = await openEndpoint({
    tools: [],
    setup: (server) => {
      const config = { annotations: { readOnlyHint: true } };
      server.registerTool("tell", config, say);
      const list = findHandler<object>(server.server, "tools/list");
      const asked = z.looseObject({ method: z.literal("tools/list") });
      server.server.setRequestHandler(forSdk(asked), async (request: JsonObject, extra: object) => {
        if (refusals-- > 0) throw new Error("The list is not there yet.");
        return (await list?.(request, extra)) ?? {};
      });
    },
  });
  onTestFinished(close);
  const session = await openSession(url);
  const eventIdOfCall = async () => {
    const params = { name: "tell", arguments: {} };
    const response = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, session);
    return /^id: (.*)$/m.exec(await response.text())?.[1];
  };
  expect(await eventIdOfCall()).toMatch(/^once_/);
  expect(await eventIdOfCall()).not.toMatch(/^once_/);
});
