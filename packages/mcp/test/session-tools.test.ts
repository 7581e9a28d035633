import { afterEach, expect, test } from "vitest";
import { openEndpoint, openSession, post } from "./http-endpoint.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test("each session's server says itself which of its tools may run again", async () => {
  let sessions = 0;
  const { engine, url, close } = await openEndpoint({
    tools: [],
    setup: (server) => {
      const annotations = { idempotentHint: ++sessions > 1 };
      server.registerTool("tell", { annotations }, async () => ({ content: [{ type: "text", text: "said" }] }));
    },
  });
  closing.push(close);
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
