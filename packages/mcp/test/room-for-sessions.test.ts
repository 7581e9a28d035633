import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { local } from "../src/owner/owner.js";
import { countTool } from "./counting-tool.js";
import { type EndpointOptions, openEndpoint, openSession, post } from "./http-endpoint.js";

const closing: (() => Promise<void>)[] = [];
beforeEach(() => vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.useRealTimers();
});

const minuteMs = 60_000;
const tools = [countTool()];
const alice = { authorization: "Bearer a" };
const bob = { authorization: "Bearer b" };
const subjects = { a: "alice", b: "bob" };
const limits = { maxSessionsPerOwner: 2, maxSessionsPerAddress: 2, checkSessionMs: 5 };

/** Two processes on one store: what one has in memory the other one does not know. */
async function twoProcesses(options: Partial<EndpointOptions> = {}) {
  const store = createMemoryStore();
  const open = async (own: Store) => {
    const opened = await openEndpoint({ tools, subjects, limits, store: own, ...options });
    closing.push(opened.close);
    return opened;
  };
  return { store, here: await open(store), there: await open(store.anotherProcess()) };
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

type Session = Readonly<Record<string, string>>;

/** Uses a session. @returns the status of the answer. */
async function use(url: string, session: Session): Promise<number> {
  const { status } = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/list" }, session);
  return status;
}

/** A session is written by itself when it was used, some time later. */
async function untilWritten(store: Store, session: Session, sinceMs: number): Promise<void> {
  const id = session["mcp-session-id"] ?? "";
  const writtenMs = async () => Date.parse((await store.getDocument("session", id))?.updatedAt ?? "");
  await expect.poll(writtenMs).toBeGreaterThanOrEqual(sinceMs);
}

test("an owner with as many sessions as it may have loses the one that was not used for longest (G11.5)", async () => {
  const { here, there } = await twoProcesses();
  const others = await openSession(here.url, bob);
  const [first, second] = [await openSession(here.url, alice), await openSession(there.url, alice)];
  expect((await post(here.url, initialize, alice)).status).toBe(429);
  vi.advanceTimersByTime(31 * minuteMs);
  const third = await openSession(there.url, alice);
  expect([await use(here.url, first), await use(here.url, second), await use(here.url, third)]).toEqual([
    404, 200, 200,
  ]);
  expect((await post(there.url, initialize, alice)).status).toBe(429);
  expect(await use(here.url, others)).toBe(200);
});

test("a session with a stream in another process, and one that was used a while ago, are in use (G11)", async () => {
  const { store, here, there } = await twoProcesses({ limits: { ...limits, sweepEveryMs: 5 } });
  const [listening, busy] = [await openSession(there.url, alice), await openSession(there.url, alice)];
  const accept = { accept: "text/event-stream" };
  expect((await fetch(there.url, { headers: { ...accept, ...listening } })).status).toBe(200);
  for (let times = 0; times < 3; times += 1) {
    vi.advanceTimersByTime(16 * minuteMs);
    const sinceMs = Date.now();
    expect(await use(there.url, busy)).toBe(200);
    for (const session of [listening, busy]) await untilWritten(store, session, sinceMs);
  }
  expect((await post(here.url, initialize, alice)).status).toBe(429);
  expect([await use(here.url, listening), await use(here.url, busy)]).toEqual([200, 200]);
});

test("a session that another version wrote, and this one cannot read, keeps its owner from no new one (G11)", async () => {
  const { store, here, there } = await twoProcesses({ limits: { ...limits, sweepEveryMs: 5 } });
  const sessions = [await openSession(there.url, alice), await openSession(there.url, alice)];
  for (const session of sessions) {
    const place = { kind: "session", id: session["mcp-session-id"] ?? "" };
    const { owner = "", version: expectedVersion = 0 } = (await store.getDocument(place.kind, place.id)) ?? {};
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    await store.putDocument({ ...place, owner, value: { local: "of a later version" }, expectedVersion, now });
  }
  vi.advanceTimersByTime(31 * minuteMs);
  expect((await post(here.url, initialize, alice)).status).toBe(200);
});

test("sessions that are opened at once end no more than they are (G11)", async () => {
  const { here, there } = await twoProcesses();
  const sessions = [await openSession(there.url, alice), await openSession(there.url, alice)];
  vi.advanceTimersByTime(31 * minuteMs);
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(here.url, initialize, alice)));
  const opened = answers.filter(({ status }) => status === 200).length;
  const left = await Promise.all(sessions.map((session) => use(here.url, session)));
  expect(opened).toBeGreaterThan(0);
  expect(left.filter((status) => status === 404).length).toBe(opened);
});

test("local callers lose their own, callers of unknown or shared addresses none (G11)", async () => {
  const { here, there } = await twoProcesses({ subjects: undefined });
  const open = async ({ handler }: typeof here, context: Parameters<typeof handler.fetch>[1]): Promise<number> => {
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const body = JSON.stringify(initialize);
    return (await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }), context))
      .status;
  };
  const contexts = [{ locality: local }, {}, { network: "192.0.2.1" }];
  const openEach = (endpoint: typeof here) => Promise.all(contexts.map((context) => open(endpoint, context)));
  expect([await openEach(there), await openEach(there), await openEach(there)]).toEqual([
    [200, 200, 200],
    [200, 200, 200],
    [429, 429, 429],
  ]);
  vi.advanceTimersByTime(31 * minuteMs);
  expect(await openEach(here)).toEqual([200, 429, 429]);
});
