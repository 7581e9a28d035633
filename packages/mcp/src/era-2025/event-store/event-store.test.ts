import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { createMemoryStore } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { createEventStore } from "./event-store.js";

const message = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });

async function replay(events: ReturnType<typeof createEventStore>, after: string) {
  const sent: [string, JSONRPCMessage][] = [];
  const streamId = await events.replayEventsAfter(after, { send: async (...event) => void sent.push(event) });
  return { streamId, sent };
}

test("replays a stream in order behind the cursor, also with a store opened again", async () => {
  const store = createMemoryStore();
  const before = createEventStore({ store, sessionId: "one" });
  const ids = await Promise.all([1, 2, 3].map((id) => before.storeEvent("stream", message(id))));
  await before.storeEvent("other", message(9));
  const after = createEventStore({ store, sessionId: "one" });
  expect(await replay(after, ids[0] ?? "")).toEqual({
    streamId: "stream",
    sent: [
      [ids[1], message(2)],
      [ids[2], message(3)],
    ],
  });
  expect(await replay(after, ids[2] ?? "")).toEqual({ streamId: "stream", sent: [] });
});

test("an event that only primes a stream is a cursor, and is not sent again", async () => {
  const events = createEventStore({ store: createMemoryStore(), sessionId: "one" });
  const first = await events.storeEvent("stream", message(1));
  const primed = await events.storeEvent("stream", {} as JSONRPCMessage);
  const last = await events.storeEvent("stream", message(2));
  expect((await replay(events, first)).sent).toEqual([[last, message(2)]]);
  expect((await replay(events, primed)).sent).toEqual([[last, message(2)]]);
});

test("streams of the same name in two sessions are kept apart", async () => {
  const store = createMemoryStore();
  const [one, two] = ["one", "two"].map((sessionId) => createEventStore({ store, sessionId }));
  const id = await one?.storeEvent("_GET_stream", message(1));
  await two?.storeEvent("_GET_stream", message(2));
  await expect(two?.replayEventsAfter(id ?? "", { send: async () => {} })).rejects.toMatchObject({
    code: "INVALID_VALUE",
  });
});

test.each(["", "nonsense", `${"a".repeat(43)}.0`])("refuses the cursor %j", async (cursor) => {
  const events = createEventStore({ store: createMemoryStore(), sessionId: "one" });
  await expect(replay(events, cursor)).rejects.toMatchObject({ code: "INVALID_VALUE" });
});

test("refuses a cursor ahead of the stream", async () => {
  const events = createEventStore({ store: createMemoryStore(), sessionId: "one" });
  const id = await events.storeEvent("stream", message(1));
  await expect(replay(events, id.replace(/\.0$/, ".7"))).rejects.toMatchObject({ code: "INVALID_VALUE" });
});

test("keeps the newest events up to its limit, and refuses a cursor before them instead of leaving a gap", async () => {
  const events = createEventStore({ store: createMemoryStore(), sessionId: "one", maxEventsPerStream: 2 });
  const ids = [];
  for (const id of [1, 2, 3, 4]) ids.push(await events.storeEvent("stream", message(id)));
  expect((await replay(events, ids[1] ?? "")).sent.map(([, sent]) => sent)).toEqual([message(3), message(4)]);
  await expect(replay(events, ids[0] ?? "")).rejects.toMatchObject({ code: "INVALID_VALUE" });
});

test("forgets streams to which nothing was added for a week, and nothing else (G11)", async () => {
  const memory = createMemoryStore();
  const weekMs = 7 * 24 * 60 * 60_000;
  const put = (kind: string, id: string, ageMs: number) =>
    memory.putDocument({
      kind,
      id,
      owner: "events:one",
      value: {},
      expectedVersion: 0,
      now: { wallMs: Date.now() - ageMs, monotonicMs: performance.now() },
    });
  await put("event-stream", "old", weekMs + 60_000);
  await put("session", "of a client", weekMs + 60_000);
  await put("event-stream", "young", weekMs - 60_000);
  const events = await new Promise<ReturnType<typeof createEventStore>>((resolve) => {
    const deleteDocument = async (kind: string, id: string) => {
      await memory.deleteDocument(kind, id);
      resolve(made);
    };
    const made = createEventStore({ store: { ...memory, deleteDocument }, sessionId: "two" });
    void made.storeEvent("stream", message(1));
  });
  await events.storeEvent("stream", message(2));
  const there = await Promise.all([
    memory.getDocument("event-stream", "old"),
    memory.getDocument("session", "of a client"),
    memory.getDocument("event-stream", "young"),
  ]);
  expect(there.map((document) => document?.id)).toEqual([undefined, "of a client", "young"]);
});
