import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { expect, test, vi } from "vitest";
import { KeptDocument } from "./kept-document.js";
import {
  callerParams,
  type SessionDocument,
  type SessionFacts,
  sessionKind,
  withSubscription,
} from "./session-document.js";

const empty = { protocolVersion: "2025-11-25", key: "k", initialize: {} };
const withUri = (facts: SessionFacts, uri: string) => withSubscription(facts, uri, true);
const urisOf = ({ value }: SessionDocument) => value.subscriptions ?? [];

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
  await Promise.all(ids.map((id) => document.change((facts) => withUri(facts, id))));
  expect(writes() - before).toBeLessThanOrEqual(2);
  expect(urisOf(await open(store))).toEqual(ids);
});

test("what is only noted goes with the next write", async () => {
  const { store, writes } = counting();
  const document = await create(store);
  const before = writes();
  document.note((facts) => withUri(facts, "noted"));
  expect(writes()).toBe(before);
  expect(urisOf(document)).toHaveLength(1);
  await document.flush();
  expect(urisOf(await open(store))).toHaveLength(1);
});

test("a change is made again on what another process wrote meanwhile", async () => {
  const store = createMemoryStore();
  const one = await create(store);
  const other = await open(store);
  await one.change((facts) => withUri(facts, "one"));
  await other.change((facts) => withUri(facts, "other"));
  expect(urisOf(await open(store))).toEqual(["one", "other"]);
});

test("a session that was ended takes no more changes", async () => {
  const store = createMemoryStore();
  const document = await create(store);
  await store.deleteDocument("session", document.id);
  const refused = document.change((facts) => withUri(facts, "late"));
  await expect(refused).rejects.toMatchObject({ code: "DOCUMENT_CONFLICT" });
  expect(urisOf(document)).toEqual([]);
});

test("nothing that a call was called with stays in the name of its stream, beyond what finds its task and owner", () => {
  const _meta = { progressToken: 1, "resumable-mcp/client_id": "c", "example.com/secret": "s" };
  const params = { name: "count", arguments: { path: "/private", client_id: "d" }, _meta };
  expect(callerParams(params)).toEqual({
    name: "count",
    arguments: { client_id: "d" },
    _meta: { progressToken: 1, "resumable-mcp/client_id": "c" },
  });
});

test("what was only noted is written by itself after a while", async () => {
  vi.useFakeTimers();
  try {
    const { store, writes } = counting();
    const document = await create(store);
    document.note((facts) => withUri(facts, "noted"));
    const before = writes();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes()).toBe(before + 1);
    expect(urisOf(await open(store))).toHaveLength(1);
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
  for (const id of ["one", "two"]) await document.change((facts) => withUri(facts, id));
  await (await create(left)).change((facts) => withUri(facts, "other"));
  stores.current = left;
  expect(await document.refresh()).toBe(true);
  expect(urisOf(document)).toEqual(["other"]);
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
  await document.change((facts) => withUri(facts, "mine"));
  for (const resolve of reads) resolve();
  expect(await refreshed).toBe(true);
  expect(urisOf(document)).toEqual(["mine"]);
});
