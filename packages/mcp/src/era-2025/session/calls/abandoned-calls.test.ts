import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { afterEach, expect, test, vi } from "vitest";
import { sessionLimits } from "../../../limits.js";
import { KeptDocument } from "../kept-document.js";
import { sessionKind } from "../session-document.js";
import { InFlightCalls } from "./in-flight-calls.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

const sessionId = "a_session_of_a_test";

/** A clock that the test sets. */
function setClock() {
  const clock = { nowMs: 1_000_000 };
  vi.spyOn(performance, "now").mockImplementation(() => clock.nowMs);
  return clock;
}

/** A store with one session, and the processes that have it in memory. */
async function openSession({ maxOpenCalls = 2 } = {}) {
  const limits = { ...sessionLimits, maxOpenCalls, checkSessionMs: 1_000 };
  const store = createMemoryStore();
  const empty = { protocolVersion: "2025-11-25", initialize: {}, calls: [] };
  const first = { value: empty, version: 0 };
  await new KeptDocument(sessionKind, store, { id: sessionId, owner: "session:test" }, first).change((facts) => facts);
  /** A process that reads the session as it is now. */
  return async function join() {
    const engine = createEngine({ store: store.anotherProcess(), tools: [] });
    closing.push(() => engine.close());
    const document = await KeptDocument.open(sessionKind, engine.documents, sessionId);
    if (document === undefined) throw new Error("no session");
    const calls = new InFlightCalls(document, engine, limits);
    return {
      calls,
      /** As a session does every `checkSessionMs`. */
      async check() {
        await document.refresh();
        const cancelled = calls.takeCancelled().map(({ request }) => request.id);
        await calls.review();
        return cancelled;
      },
      /** Makes a call and delivers it; it stays open. False where the session is full. */
      async call(id: number) {
        const request: JSONRPCRequest = { jsonrpc: "2.0", id, method: "tools/call", params: { name: "work" } };
        const inFlight = calls.create(request, "journal");
        if (!calls.enter(inFlight)) return false;
        await calls.store(inFlight);
        calls.add(inFlight).running = new AbortController();
        calls.entered(inFlight);
        return true;
      },
      async cancel(id: number) {
        const inFlight = await calls.findRequest(id);
        if (inFlight !== undefined) await calls.cancel(inFlight, true);
      },
      /** Ids of the open calls, and of those that are in doubt. */
      async read() {
        await document.refresh();
        const open = document.value.calls.filter(({ end }) => end === undefined);
        const doubted = open.filter(({ doubt }) => doubt !== undefined);
        return { open: open.map(({ requestId }) => requestId), doubted: doubted.map(({ requestId }) => requestId) };
      },
    };
  };
}

test("a call that another process delivers counts, and is not forgotten; one of a process that died is (G11)", async () => {
  const clock = setClock();
  const join = await openSession();
  const dead = await join();
  expect(await dead.call(1)).toBe(true);
  const living = await join();
  expect(await living.call(2)).toBe(true);
  const full = await join();
  expect(await full.call(3)).toBe(false);
  await full.check();
  expect(await full.read()).toEqual({ open: [1, 2], doubted: [1, 2] });
  clock.nowMs += 1_000;
  expect(await living.check()).toEqual([]);
  clock.nowMs += 1_999;
  await full.check();
  expect(await full.call(4)).toBe(false);
  clock.nowMs += 1;
  expect(await full.call(5)).toBe(true);
  expect(await full.call(6)).toBe(false);
  expect(await full.read()).toEqual({ open: [2, 5], doubted: [] });
  expect(await living.check()).toEqual([]);
});

test("a doubt that was taken away holds for no process that has not read the session since (G11)", async () => {
  const clock = setClock();
  const join = await openSession();
  const living = await join();
  for (const id of [1, 2]) expect(await living.call(id)).toBe(true);
  const full = await join();
  await full.check();
  await living.check();
  clock.nowMs += 3_000;
  // What it has read is out of date; what it writes is judged by what is stored.
  await full.call(3);
  expect(await full.read()).toEqual({ open: expect.arrayContaining([1, 2]), doubted: [] });
  expect(await full.call(4)).toBe(false);
});

test("a process that was silent for too long delivers its call further, and the call counts again (G11)", async () => {
  const clock = setClock();
  const join = await openSession();
  const silent = await join();
  for (const id of [1, 2]) expect(await silent.call(id)).toBe(true);
  const full = await join();
  await full.check();
  clock.nowMs += 3_000;
  expect(await full.call(3)).toBe(true);
  expect(await full.read()).toEqual({ open: [2, 3], doubted: [2] });
  expect(await silent.check()).toEqual([]);
  expect(await full.read()).toEqual({ open: [2, 3, 1], doubted: [3] });
  expect(await full.call(4)).toBe(false);
  // It is a call like others again: one that is cancelled at another process is not stored once more.
  await full.cancel(1);
  expect(await silent.check()).toEqual([1]);
  expect(await full.read()).toEqual({ open: [2, 3], doubted: [3] });
});

test("calls are doubted where those that a process does not deliver fill half of the session (G11)", async () => {
  setClock();
  const join = await openSession({ maxOpenCalls: 4 });
  const dead = await join();
  expect(await dead.call(1)).toBe(true);
  const other = await join();
  expect(await other.call(2)).toBe(true);
  await other.check();
  expect(await other.read()).toEqual({ open: [1, 2], doubted: [] });
  expect(await dead.call(3)).toBe(true);
  await other.check();
  expect(await other.read()).toEqual({ open: [1, 2, 3], doubted: [1, 3] });
});
