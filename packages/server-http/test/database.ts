import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type PostgresServer, type PostgresServerOptions, startPostgres } from "@resumable-mcp/store-postgres/testing";
import { afterAll, beforeAll } from "vitest";
import { afterwards } from "./server-process.js";

const startTimeoutMs = 120_000;

/** One PostgreSQL server for the tests of a file. */
export function testPostgres(options: PostgresServerOptions = {}): {
  readonly url: () => string;
  restart(): Promise<void>;
} {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres(options);
  }, startTimeoutMs);
  afterAll(() => server?.stop(), startTimeoutMs);
  const running = (): PostgresServer => {
    if (server === undefined) throw new Error("The server starts before the first test.");
    return server;
  };
  return { url: () => running().url, restart: () => running().restart() };
}

/** A schema that no other test uses. */
export function newSchema(): string {
  return `t_${randomBytes(6).toString("hex")}`;
}

/** A network between programs and a database that a test takes away and gives back. */
export interface Network {
  /** The database's URL through this network. */
  readonly url: string;
  up(): Promise<void>;
  down(): Promise<void>;
}

/** Makes a network, which is down at first. */
export async function networkTo(databaseUrl: string): Promise<Network> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const listen = async (port: number): Promise<Server> => {
    const listening = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    }).listen(port, "127.0.0.1");
    await once(listening, "listening");
    return listening;
  };
  const down = async (): Promise<void> => {
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    server = undefined;
    await closed;
  };
  const free = await listen(0);
  const address = free.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => free.close(resolve));
  const url = new URL(databaseUrl);
  url.port = String(port);
  url.hostname = "127.0.0.1";
  afterwards(down);
  return {
    url: url.href,
    up: async () => {
      server = await listen(port);
    },
    down,
  };
}
