import { once } from "node:events";
import { connect } from "node:net";
import { createMemoryStore } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { expect, test } from "vitest";
import { type ServeOptions, serve } from "../src/index.js";
import { afterwards } from "./server-process.js";

async function open(options: Partial<ServeOptions> = {}) {
  const definition = defineServer({ name: "flooded", version: "1.0.0", tools: [] });
  const server = await serve({ definition, store: createMemoryStore(), port: 0, ...options });
  afterwards(() => server.close());
  const port = Number(new URL(server.url).port);
  /** Connects from an address of this machine, and says nothing. */
  const connectFrom = async (localAddress: string) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    afterwards(async () => socket.destroy());
    const closed = once(socket, "close");
    await once(socket, "connect");
    return { socket, closed };
  };
  return { url: `http://127.0.0.1:${port}/healthz`, connectFrom };
}

// Elsewhere 127.0.0.1 is the only address of its network that a machine has.
const flooder = process.platform === "linux" ? "127.0.0.2" : "127.0.0.1";

test.runIf(process.platform === "linux")(
  "silent connections of one address refuse further ones of it, and no other caller (F12)",
  async () => {
    const { url, connectFrom } = await open({ limits: { maxConnectionsPerAddress: 20 } });
    const held = await Promise.all(Array.from({ length: 20 }, () => connectFrom(flooder)));
    await (await connectFrom(flooder)).closed;
    expect((await fetch(url)).status).toBe(200);
    const [one] = held;
    one?.socket.destroy();
    await one?.closed;
    // The server notices the end of a connection some time later.
    await expect
      .poll(
        async () => {
          const { socket, closed } = await connectFrom(flooder);
          socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
          const answered = once(socket, "data").then(([data]) => String(data).startsWith("HTTP/1.1 200 "));
          return Promise.race([answered, closed.then(() => false)]);
        },
        { timeout: 20_000 },
      )
      .toBe(true);
  },
);

test("trusted proxies have as many connections as they need (F12)", async () => {
  const { connectFrom } = await open({ limits: { maxConnectionsPerAddress: 1 }, trustedProxies: [flooder] });
  const sockets = await Promise.all(Array.from({ length: 3 }, () => connectFrom(flooder)));
  for (const { socket } of sockets) {
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const [data] = await once(socket, "data");
    expect(String(data)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test("a connection that stays silent is closed (F12)", async () => {
  const { connectFrom } = await open({ limits: { headersTimeoutMs: 50 } });
  const { socket, closed } = await connectFrom("127.0.0.1");
  socket.resume();
  await closed;
});

test("a request whose body does not end is answered with 408, and its connection is closed (F12)", async () => {
  const { connectFrom } = await open({ limits: { headersTimeoutMs: 50, requestTimeoutMs: 50 } });
  const { socket, closed } = await connectFrom("127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const head = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Content-Length: 100"];
  socket.write(`${head.join("\r\n")}\r\nAccept: application/json, text/event-stream\r\n\r\n{`);
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
});

test("of all callers together no more connections are open than the limit (F12)", async () => {
  const { connectFrom } = await open({ limits: { maxConnections: 2 } });
  const [{ socket }] = [await connectFrom("127.0.0.1"), await connectFrom("127.0.0.1")];
  const further = await connectFrom("127.0.0.1");
  further.socket.resume();
  await further.closed;
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const [data] = await once(socket, "data");
  expect(String(data)).toMatch(/^HTTP\/1\.1 200 /);
});

test("a request with two names of a host is not carried out (F15)", async () => {
  const { connectFrom } = await open();
  const { socket } = await connectFrom("127.0.0.1");
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
  const [data] = await once(socket, "data");
  expect(String(data)).toMatch(/^HTTP\/1\.1 400 /);
});

test("a flood of new sessions of one address ends the oldest of them, never one that was used or one of another (F5)", async () => {
  const definition = defineServer({ name: "flooded", version: "1.0.0", tools: [] });
  const limits = { maxUnusedSessionsPerAddress: 2, maxSessionsPerAddress: 10 };
  const options = { port: 0, trustedProxies: ["127.0.0.1"], limits };
  const server = await serve({ definition, store: createMemoryStore(), ...options });
  afterwards(() => server.close());
  const post = (address: string, message: object, session: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "x-forwarded-for": address,
        ...session,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const openFrom = async (address: string) => {
    const answer = await post(address, { id: 1, method: "initialize", params });
    return answer.headers.get("mcp-session-id") ?? "";
  };
  const other = await openFrom("203.0.113.1");
  const used = await openFrom("203.0.113.2");
  expect((await post("203.0.113.2", { id: 2, method: "tools/list" }, { "mcp-session-id": used })).status).toBe(200);
  const opened: string[] = [];
  for (let times = 0; times < 30; times += 1) opened.push(await openFrom("203.0.113.2"));
  expect(opened.includes("")).toBe(false);
  const isKept = async (id: string) => (await server.engine.documents.getDocument("session", id)) !== undefined;
  const kept = async () => Promise.all([other, used, ...opened].map(isKept));
  await expect.poll(kept).toEqual([true, true, ...Array(28).fill(false), true, true]);
  expect((await post("203.0.113.2", { id: 3, method: "tools/list" }, { "mcp-session-id": used })).status).toBe(200);
});
