import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { listen } from "@resumable-mcp/command-line";
import { expect, onTestFinished, test } from "vitest";
import { TrustedProxies } from "./addresses.js";
import { httpLimits } from "./http-limits.js";
import { closeHttp, createHttpServer } from "./http-server.js";

/** A server that answers each request with its path, and a connection to it. */
async function connected(limits: Parameters<typeof closeHttp>[1]) {
  const http = createHttpServer(httpLimits, new TrustedProxies([]), (incoming, outgoing) => {
    outgoing.end(incoming.url);
  });
  onTestFinished(() => void http.closeAllConnections());
  const accepted = once(http, "connection");
  const port = await listen(http, { host: "127.0.0.1", port: 0, fd: undefined });
  const socket = connect(port, "127.0.0.1");
  await accepted;
  return { socket, close: () => closeHttp(http, limits) };
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test("a server that ends answers a request on a connection that it already has, and then ends at once", async () => {
  const { socket, close } = await connected({ closeTimeoutMs: 2 ** 30 });
  const closed = close();
  socket.write("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\/late/);
  await closed;
});

test("a server that ends cuts off a connection that stays silent", async () => {
  const { socket, close } = await connected({ closeTimeoutMs: 1 });
  await close();
  expect(await readToEnd(socket).catch(({ code }) => code)).toMatch(/^$|ECONNRESET/);
});
