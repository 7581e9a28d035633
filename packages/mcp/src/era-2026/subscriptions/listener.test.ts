import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { endingOf } from "../../call/ending.js";
import { local } from "../../owner/owner.js";
import { requestFacts } from "../read-message.js";
import { countSubscriptions, Listener } from "./listener.js";

/** Asks to hear of something; gives the method of the first message, or the error. */
async function listen(listener: Listener, notifications: JsonObject): Promise<unknown> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { notifications, _meta };
  const request = {
    ...requestFacts(1, params),
    ending: endingOf(new AbortController().signal),
    notify: async () => {},
    carry: () => {},
    authenticated: () => undefined,
    http: { locality: local, headers: {}, toWeb: () => new Request("http://127.0.0.1/mcp") },
  };
  const sent: unknown[] = [];
  const sink = { send: async ({ method }: JsonObject) => void sent.push(method), end() {} };
  await listener.listen(request, params, sink).catch((error: Error) => sent.push(error.message));
  return sent[0];
}

const acknowledged = "notifications/subscriptions/acknowledged";
const engine = createEngine({ store: createMemoryStore(), tools: [] });

test("a subscription that is refused leaves its place to others (G11)", async () => {
  const listener = new Listener({ engine, maxSubscriptions: 1 });
  expect(await listen(listener, { taskIds: ["any"] })).toContain("needs the extension");
  expect(await listen(listener, { toolsListChanged: true })).toBe(acknowledged);
  expect(await listen(listener, { toolsListChanged: true })).toContain("maxSubscriptions = 1");
});

test("a limit that is given as undefined is the default (G11)", async () => {
  const listener = new Listener({ engine, maxSubscriptions: undefined, maxSubscriptionsPerOwner: undefined });
  for (let count = 0; count < 128; count++)
    expect(await listen(listener, { toolsListChanged: true })).toBe(acknowledged);
  expect(await listen(listener, { toolsListChanged: true })).toBe(
    "You have reached the limit maxSubscriptionsPerOwner = 128. End another subscription first.",
  );
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
