import { once } from "node:events";
import { request } from "node:http";
import { createMemoryStore, type MemoryStore } from "@resumable-mcp/core";
import { putBan, removeBan } from "@resumable-mcp/core/store";
import { expect, onTestFinished, test } from "vitest";
import { type RunningServer, serve } from "../src/index.js";
import { definition, release } from "./two-owners/foreign-target.js";
import { request2026, type StreamReader, tokenCaller } from "./two-owners/raw-caller.js";

const now = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1 };

/** A server that takes each word for the token of the subject of that name. */
async function open(store: MemoryStore): Promise<RunningServer> {
  const limits = { drainTimeoutMs: 20, banLookMs: 10 };
  const expiresAt = Math.floor(Date.now() / 1000) + 3_600;
  const verifyToken = async (token: string) => ({
    token,
    clientId: "app",
    scopes: [],
    expiresAt,
    extra: { sub: token },
  });
  const server = await serve({ definition, store, port: 0, limits, verifyToken });
  onTestFinished(() => server.close());
  return server;
}

/** The status of a request of a subject. */
async function ask(server: RunningServer, subject: string): Promise<number> {
  const caller = tokenCaller(server.url, subject, subject);
  return (await caller.initialize()).status;
}

test("a subject that is banned is refused by all servers of the store, its tasks are cancelled, and no other is concerned", async () => {
  const store = createMemoryStore();
  const servers = [await open(store), await open(store.anotherProcess())];
  const tool = definition.tools[0]?.name ?? "";
  const tasksOf = (subject: string) => servers[0]?.engine.forOwner(`sub:${subject}`);
  expect(await Promise.all(servers.map((server) => ask(server, "mallory")))).toEqual([200, 200]);
  const waiting = { key: "waiting", input: {}, detached: true, ttlMs: 1_000, toolVersion: "1" };
  const make = (id: string, subject: string) =>
    store.createTask({ task: { ...waiting, id, owner: `sub:${subject}`, tool: `not ${tool}` }, reuseResultMs: 0, now });
  await make("mallorys-task-000", "mallory");
  await make("alices-task-00000", "alice");
  expect(await putBan(store, "sub:mallory", now)).toBe(true);
  for (const server of servers) await expect.poll(() => ask(server, "mallory")).toBe(403);
  expect(await Promise.all(servers.map((server) => ask(server, "alice")))).toEqual([200, 200]);
  // Requested of the process that runs it, or done.
  const isCancelled = async () => {
    const { record, signals = [] } = (await store.getTask("mallorys-task-000")) ?? {};
    return record?.status === "cancelled" || signals.some(({ kind }) => kind === "cancel");
  };
  await expect.poll(isCancelled).toBe(true);
  expect((await tasksOf("alice")?.get("alices-task-00000"))?.status).toBe("pending");
  // A server that starts later lets it in at no time.
  expect(await ask(await open(store.anotherProcess()), "mallory")).toBe(403);
  expect([await removeBan(store, "sub:mallory"), await removeBan(store, "sub:mallory")]).toEqual([true, false]);
  for (const server of servers) await expect.poll(() => ask(server, "mallory")).toBe(200);
});

/** Opens a stream of each kind as a subject, and a call of `gated` that is held. */
async function openStreams(server: RunningServer, subject: string) {
  const caller = tokenCaller(server.url, subject, subject);
  onTestFinished(caller.close);
  const inSession = { "mcp-session-id": (await caller.initialize()).session };
  const call = (id: number, name: string) => {
    const params = { name, arguments: { label: `${subject} ${server.url}`, hold: true }, _meta: { progressToken: id } };
    return caller.stream({ jsonrpc: "2.0", id, method: "tools/call", params }, inSession);
  };
  const listen = request2026("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const streams: readonly StreamReader[] = [
    await caller.stream(undefined, inSession),
    await call(7, "ordinary"),
    await caller.stream(listen.message, listen.headers),
  ];
  await streams[2]?.((text) => text.includes("acknowledged"));
  const gated = await call(8, "gated");
  await gated((text) => text.includes('"progress":1'));
  return { streams, gated };
}

test("a ban ends all that its subject has open, on every server of the store, and no stream of another", async () => {
  const store = createMemoryStore();
  const servers = [await open(store), await open(store.anotherProcess())];
  const mallorys = await Promise.all(servers.map((server) => openStreams(server, "mallory")));
  const alices = await Promise.all(servers.map((server) => openStreams(server, "alice")));
  await putBan(store, "sub:mallory", now);
  for (const { streams, gated } of mallorys) await Promise.all([...streams, gated].map((read) => read(() => false)));
  for (const [index, { gated }] of alices.entries()) {
    release({ label: `alice ${servers[index]?.url}` });
    expect(await gated((text) => text.includes('"result"'))).toContain('"id":8');
  }
});

test("a request that was let in before the ban, and whose body comes after it, leaves no task that runs", async () => {
  let looks = 0;
  const memory = createMemoryStore();
  const listIdleDocuments: MemoryStore["listIdleDocuments"] = (request) => {
    looks += request.kind === "ban" ? 1 : 0;
    return memory.listIdleDocuments(request);
  };
  const store = { ...memory, listIdleDocuments };
  const server = await open(store);
  const params = { name: "gated", arguments: { label: "late", hold: true } };
  const { message, headers } = request2026("tools/call", params, {
    meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } },
  });
  const body = JSON.stringify(message);
  const slow = request(server.url, {
    method: "POST",
    headers: { ...headers, authorization: "Bearer mallory", "content-length": Buffer.byteLength(body) },
  });
  onTestFinished(() => void slow.destroy());
  const answered = once(slow, "response");
  slow.write(body.slice(0, 10));
  // Its token was checked before that of a later request.
  expect(await ask(server, "mallory")).toBe(200);
  await putBan(store, "sub:mallory", now);
  await expect.poll(() => ask(server, "mallory")).toBe(403);
  const seen = looks;
  await expect.poll(() => looks).toBeGreaterThan(seen + 10);
  slow.end(body.slice(10));
  await answered;
  const unfinished = async () => {
    const { tasks } = await store.listTasks({ owner: "sub:mallory", limit: 10 });
    return tasks.map(({ status }) => status);
  };
  await expect.poll(unfinished).toEqual(["cancelled"]);
});

test("a server listens before it has looked for the tasks of those who are banned", async () => {
  const memory = createMemoryStore();
  for (const subject of ["mallory", "eve"]) await putBan(memory, `sub:${subject}`, now);
  const asked: unknown[] = [];
  const listTasks: MemoryStore["listTasks"] = (query) => {
    if (query.owner === undefined) return memory.listTasks(query);
    asked.push(query.owner);
    return new Promise(() => {});
  };
  const server = await open({ ...memory, listTasks });
  expect([await ask(server, "mallory"), await ask(server, "eve")]).toEqual([403, 403]);
  await expect.poll(() => asked).toEqual(["sub:mallory"]);
});

test("a ban stays while the store cannot be read", async () => {
  const memory = createMemoryStore();
  let broken = false;
  const store = {
    ...memory,
    listIdleDocuments: (request: Parameters<MemoryStore["listIdleDocuments"]>[0]) =>
      broken && request.kind === "ban" ? Promise.reject(new Error("away")) : memory.listIdleDocuments(request),
  };
  await putBan(memory, "sub:mallory", now);
  const server = await open(store);
  broken = true;
  await removeBan(memory, "sub:mallory");
  expect(await ask(server, "mallory")).toBe(403);
  broken = false;
  await expect.poll(() => ask(server, "mallory")).toBe(200);
});

test("a look at the bans that is under way when the server stops reports nothing", async () => {
  const memory = createMemoryStore();
  const lines: string[] = [];
  let looked = () => {};
  const looking = new Promise<void>((resolve) => {
    looked = resolve;
  });
  let fail: ((error: Error) => void) | undefined;
  let looks = 0;
  const store = {
    ...memory,
    listIdleDocuments: (request: Parameters<MemoryStore["listIdleDocuments"]>[0]) => {
      if (request.kind !== "ban" || ++looks === 1) return memory.listIdleDocuments(request);
      looked();
      return new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
    },
  };
  const limits = { drainTimeoutMs: 20, banLookMs: 10 };
  const log = (_level: string, message: string) => lines.push(message);
  const server = await serve({ definition, store, port: 0, limits, verifyToken: () => undefined, log });
  await looking;
  await server.close();
  fail?.(new Error("closed"));
  // What it does comes before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines).toEqual([]);
});
