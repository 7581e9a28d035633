import { once } from "node:events";
import { connect } from "node:net";
import { createMemoryStore } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp";
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
  60_000,
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
}, 60_000);

test("a request with two names of a host is not carried out (F15)", async () => {
  const { connectFrom } = await open();
  const { socket } = await connectFrom("127.0.0.1");
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
  const [data] = await once(socket, "data");
  expect(String(data)).toMatch(/^HTTP\/1\.1 400 /);
});
