import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { parseListenRequest } from "./listen-request.js";
import { createListener } from "./listener.js";

test("a subscription of which the SDK's handler makes nothing leaves its place to others (G11)", async () => {
  let isAway = true;
  const handler = {
    async fetch() {
      if (isAway) throw new Error("away");
      return new Response("an answer");
    },
    close: async () => {},
  };
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  const listener = createListener(handler, engine, { maxSubscriptions: 1, singleUser: true });
  const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { taskIds: [] } } };
  const request = parseListenRequest(message);
  if (request === undefined) throw new Error("It is a request to listen.");
  const listen = () => listener.listen(new Request("http://127.0.0.1/mcp", { method: "POST" }), {}, request);
  await expect(listen()).rejects.toThrow("away");
  isAway = false;
  expect(await (await listen()).text()).toBe("an answer");
});
