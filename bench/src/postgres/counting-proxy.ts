import { createConnection, createServer, type Socket } from "node:net";
import type { Scope } from "../report/measure.js";

/** "Ready for query": what the server sends when it has answered everything that it was asked on a connection. */
const readyForQuery = "Z".charCodeAt(0);

/** A way to a server on which round trips are counted. */
export interface CountingProxy {
  readonly url: string;
  /** Round trips of all connections until now: each connection begins with one. */
  readonly roundTrips: () => number;
}

/** Passes connections on to a server of PostgreSQL, without encryption, and counts what it answers. */
export async function countingProxy(scope: Scope, to: string): Promise<CountingProxy> {
  let roundTrips = 0;
  const url = new URL(to);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target);
    const count = messageReader((type) => {
      if (type === readyForQuery) roundTrips += 1;
    });
    upstream.on("data", count);
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.onEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (typeof address === "object") url.port = String(address?.port);
  return { url: url.href, roundTrips: () => roundTrips };
}

/** Reads the types of the server's messages: each has one byte of type, and its length in the next four. */
function messageReader(hear: (type: number) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  /** Bytes of a message that is too long to keep, which are still to come. */
  let skip = 0;
  return (bytes) => {
    const skipped = Math.min(skip, bytes.length);
    skip -= skipped;
    rest = Buffer.concat([rest, bytes.subarray(skipped)]);
    while (rest.length >= 5) {
      hear(rest[0] ?? 0);
      const end = 1 + rest.readUInt32BE(1);
      skip = Math.max(0, end - rest.length);
      rest = rest.subarray(end);
    }
  };
}
