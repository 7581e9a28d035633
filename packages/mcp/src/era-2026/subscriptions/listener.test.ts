import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { parseListenRequest } from "./listen-request.js";
import { countSubscriptions, createListener } from "./listener.js";

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

test("a limit that is given as undefined is the default (G11)", async () => {
  const handler = {
    fetch: async () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }),
    close: async () => {},
  };
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  const unset = { maxSubscriptions: undefined, maxSubscriptionsPerOwner: undefined };
  const listener = createListener(handler, engine, { ...unset, singleUser: true });
  const request = parseListenRequest({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} });
  if (request === undefined) throw new Error("It is a request to listen.");
  const listen = () => listener.listen(new Request("http://127.0.0.1/mcp", { method: "POST" }), {}, request);
  for (let count = 0; count < 128; count++)
    expect((await listen()).headers.get("content-type")).toBe("text/event-stream");
  expect(await (await listen()).json()).toMatchObject({
    error: { message: "You have reached the limit maxSubscriptionsPerOwner = 128. End another subscription first." },
  });
});

function open(take: ReturnType<typeof countSubscriptions>, owner: string) {
  const place = take(owner);
  return "refused" in place ? place.refused.message : place.leave;
}

test("one owner's subscriptions leave room for those of others (G11)", () => {
  const take = countSubscriptions({ maxSubscriptions: 3, maxSubscriptionsPerOwner: 2 });
  const leave = open(take, "sub:ada");
  open(take, "sub:ada");
  const own = "You have reached the limit maxSubscriptionsPerOwner = 2. End another subscription first.";
  expect(open(take, "sub:ada")).toBe(own);
  expect(open(take, "sub:bob")).toBeTypeOf("function");
  expect(open(take, "sub:cid")).toBe(
    "You have reached the limit maxSubscriptions = 3. End another subscription first.",
  );
  if (typeof leave === "function") for (let twice = 0; twice < 2; twice++) leave();
  expect(open(take, "sub:ada")).toBeTypeOf("function");
  expect(open(take, "sub:ada")).toBe(own);
});
