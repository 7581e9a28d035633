import { createMemoryStore, ResumableError } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { callParamsKind } from "../calls/call-params.js";
import { removeIdle, UnusedSessions } from "./session-room.js";

const unused = (name: number) => ({ name, isUnused: true, closed: false });

test("of unused sessions that are opened at once each one beyond the limit ends another (F5)", () => {
  const sessions = new UnusedSessions<ReturnType<typeof unused>>();
  const ended = Array.from({ length: 6 }, (_, name) => sessions.add("192.0.2.1", unused(name), 2)?.name);
  expect(ended).toEqual([undefined, undefined, 0, 1, 2, 3]);
  expect(sessions.add("192.0.2.2", unused(6), 2)).toBeUndefined();
});

test("sessions that were used or have ended make room for others (F5)", () => {
  const sessions = new UnusedSessions<ReturnType<typeof unused>>();
  const [first, second, third] = [unused(1), unused(2), unused(3)];
  for (const session of [first, second, third]) sessions.add("192.0.2.1", session, 3);
  first.closed = true;
  second.isUnused = false;
  expect([4, 5, 6].map((name) => sessions.add("192.0.2.1", unused(name), 3)?.name)).toEqual([undefined, undefined, 3]);
});

const putAt = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1 };
const damaged = new ResumableError("DOCUMENT_UNREADABLE", "It does not open.", {
  details: { kind: "session", id: "" },
});
const facts = { protocolVersion: "2025-11-25", key: "k", initialize: {} };

test("sessions, and params of their calls, that the store cannot read end like others that are idle (G12)", async () => {
  const store = createMemoryStore();
  const unreadable = new Set(["damaged", "params-damaged"]);
  const documents = {
    ...store,
    getDocument: (kind: string, id: string) =>
      unreadable.has(id) ? Promise.reject(damaged) : store.getDocument(kind, id),
  };
  const put = (kind: string, id: string, value: object) =>
    store.putDocument({ kind, id, owner: "client:a", value: { ...value }, expectedVersion: 0, now: putAt });
  await put("session", "damaged", {});
  await put("session", "other-version", { ...facts, local: "as another version writes it" });
  await put("session", "idle", { ...facts });
  await put("session", "live", facts);
  for (const id of ["params-damaged", "call"]) await put(callParamsKind, id, {});
  await removeIdle(documents, putAt.wallMs + 1, (id) => id === "live");
  const idle = (kind: string) => store.listIdleDocuments({ kind, idleSinceMs: Number.MAX_SAFE_INTEGER, limit: 9 });
  expect((await idle("session")).map(({ id }) => id)).toEqual(["live"]);
  expect(await idle(callParamsKind)).toEqual([]);
});

test("a session that another process uses after it was listed as idle does not end (G1)", async () => {
  const store = createMemoryStore();
  const session = { kind: "session", owner: "client:a", value: { ...facts }, now: putAt };
  for (const id of ["idle", "used"]) await store.putDocument({ ...session, id, expectedVersion: 0 });
  const documents = {
    ...store,
    async listIdleDocuments(request: Parameters<typeof store.listIdleDocuments>[0]) {
      const listed = await store.listIdleDocuments(request);
      if (request.kind === "session") await store.putDocument({ ...session, id: "used", expectedVersion: 1 });
      return listed;
    },
  };
  await removeIdle(documents, putAt.wallMs + 1, () => false);
  expect(await store.getDocument("session", "idle")).toBeUndefined();
  expect(await store.getDocument("session", "used")).toMatchObject({ version: 2 });
});

test.each(["session", callParamsKind])(
  "a store that is away when it is asked for a document of the kind %s ends nothing (G12)",
  async (unread) => {
    const store = createMemoryStore();
    const put = (kind: string, id: string, value: object) =>
      store.putDocument({ kind, id, owner: "client:a", value: { ...value }, expectedVersion: 0, now: putAt });
    await put("session", "idle", { ...facts });
    await put("session", "live", facts);
    await put(callParamsKind, "call", { session: "live", params: "{}" });
    const details = { path: "db.example", reason: "ECONNREFUSED" };
    const away = new ResumableError("STORE_READ_FAILED", "The store could not be read.", { details });
    const documents = {
      ...store,
      getDocument: (kind: string, id: string) => (kind === unread ? Promise.reject(away) : store.getDocument(kind, id)),
    };
    await expect(removeIdle(documents, putAt.wallMs + 1, (id) => id === "live")).rejects.toBe(away);
    const kept = [await store.getDocument("session", "live"), await store.getDocument(callParamsKind, "call")];
    expect(kept.map((document) => document !== undefined)).toEqual([true, true]);
    expect((await store.getDocument("session", "idle")) !== undefined).toBe(unread === "session");
  },
);
