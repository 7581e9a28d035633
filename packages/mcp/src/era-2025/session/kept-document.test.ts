import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { expect, test, vi } from "vitest";
import { KeptDocument } from "./kept-document.js";
import { finishedCall, type SessionDocument, type StoredCall, sessionKind, withCall } from "./session-document.js";

const empty = { protocolVersion: "2025-11-25", initialize: {}, calls: [] };
const call = (callId: string, end?: number): StoredCall => ({
  callId,
  requestId: 1,
  acceptedMs: 0,
  kind: "journal",
  params: {},
  ...(end === undefined ? {} : { end }),
});

function counting(): { store: Store; writes: () => number } {
  const memory = createMemoryStore();
  let writes = 0;
  const putDocument: Store["putDocument"] = (request) => {
    writes += 1;
    return memory.putDocument(request);
  };
  return { store: { ...memory, putDocument }, writes: () => writes };
}

async function open(store: Store): Promise<SessionDocument> {
  const document = await KeptDocument.open(sessionKind, store, "a_session_of_a_test");
  if (document === undefined) throw new Error("no such session");
  return document;
}

async function create(store: Store): Promise<SessionDocument> {
  const document = new KeptDocument(
    sessionKind,
    store,
    { id: "a_session_of_a_test", owner: "session:test" },
    { value: empty, version: 0 },
  );
  await document.change((facts) => facts);
  return document;
}

test("changes made at once are durable after two writes at most", async () => {
  const { store, writes } = counting();
  const document = await create(store);
  const before = writes();
  const ids = Array.from({ length: 20 }, (_, index) => `call_${index}`);
  await Promise.all(ids.map((id) => document.change((facts) => withCall(facts, call(id), 16))));
  expect(writes() - before).toBeLessThanOrEqual(2);
  expect((await open(store)).value.calls.map(({ callId }) => callId)).toEqual(ids);
});

test("what is only noted goes with the next write", async () => {
  const { store, writes } = counting();
  const document = await create(store);
  const before = writes();
  document.note((facts) => withCall(facts, call("noted"), 16));
  expect(writes()).toBe(before);
  expect(document.value.calls).toHaveLength(1);
  await document.flush();
  expect((await open(store)).value.calls).toHaveLength(1);
});

test("a change is made again on what another process wrote meanwhile", async () => {
  const store = createMemoryStore();
  const one = await create(store);
  const other = await open(store);
  await one.change((facts) => withCall(facts, call("one"), 16));
  await other.change((facts) => withCall(facts, call("other"), 16));
  expect((await open(store)).value.calls.map(({ callId }) => callId)).toEqual(["one", "other"]);
});

test("a session that was ended takes no more changes", async () => {
  const store = createMemoryStore();
  const document = await create(store);
  await store.deleteDocument("session", document.id);
  const refused = document.change((facts) => withCall(facts, call("late"), 16));
  await expect(refused).rejects.toMatchObject({ code: "DOCUMENT_CONFLICT" });
  expect(document.value.calls).toEqual([]);
});

test("G11 of finished calls only the newest are kept, of unfinished ones all", () => {
  const calls = [call("open"), call("a", 3), call("b", 3), call("c", 3)];
  const facts = calls.reduce((before, one) => withCall(before, one, 2), empty as ReturnType<typeof withCall>);
  expect(facts.calls.map(({ callId }) => callId)).toEqual(["open", "b", "c"]);
});

test("nothing that a finished call was called with stays in the session, beyond what finds its task and owner", () => {
  const _meta = { progressToken: 1, "resumable-mcp/client_id": "c", "example.com/secret": "s" };
  const params = { name: "count", arguments: { path: "/private", client_id: "d" }, _meta };
  const kept = finishedCall({ ...call("a"), params }, 7, true);
  expect(kept).toEqual({
    ...call("a", 7),
    params: {
      name: "count",
      arguments: { client_id: "d" },
      _meta: { progressToken: 1, "resumable-mcp/client_id": "c" },
    },
  });
  const answer = { name: "answer_task", arguments: { task_id: "t", key: "name", content: { name: "Ada" } } };
  expect(finishedCall({ ...call("a"), params: answer }, 7, false)?.params).toEqual({
    name: "answer_task",
    arguments: { task_id: "t", key: "name" },
  });
  expect(finishedCall({ ...call("a"), kind: "again", params }, 7, false)).toBeUndefined();
});

test("what was only noted is written by itself after a while", async () => {
  vi.useFakeTimers();
  try {
    const { store, writes } = counting();
    const document = await create(store);
    document.note((facts) => withCall(facts, call("noted"), 16));
    const before = writes();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes()).toBe(before + 1);
    expect((await open(store)).value.calls).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

test("what a fail-over left is taken over, though its version is lower than the one that was put last", async () => {
  const [lost, left] = [createMemoryStore(), createMemoryStore()];
  const stores = { current: lost };
  const putDocument: Store["putDocument"] = (request) => stores.current.putDocument(request);
  const getDocument: Store["getDocument"] = (...place) => stores.current.getDocument(...place);
  const document = await create({ ...lost, putDocument, getDocument });
  for (const id of ["one", "two"]) await document.change((facts) => withCall(facts, call(id), 16));
  await (await create(left)).change((facts) => withCall(facts, call("other"), 16));
  stores.current = left;
  expect(await document.refresh()).toBe(true);
  expect(document.value.calls.map(({ callId }) => callId)).toEqual(["other"]);
});

test("a read that began before a write of this process does not undo it", async () => {
  const store = createMemoryStore();
  const reads: (() => void)[] = [];
  const getDocument: Store["getDocument"] = async (...place) => {
    const read = await store.getDocument(...place);
    await new Promise<void>((resolve) => reads.push(resolve));
    return read;
  };
  const document = await create({ ...store, getDocument });
  const refreshed = document.refresh();
  await expect.poll(() => reads.length).toBe(1);
  await document.change((facts) => withCall(facts, call("mine"), 16));
  for (const resolve of reads) resolve();
  expect(await refreshed).toBe(true);
  expect(document.value.calls.map(({ callId }) => callId)).toEqual(["mine"]);
});
