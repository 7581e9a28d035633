import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { type EventStore, StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** An MCP server over HTTP that a test can kill and start again at the same address. */
export interface FakeServer {
  readonly url: string;
  /** Sees every request's body before it is answered; returning a status answers with that alone, `silence` never. */
  onRequest: (body: { method?: string; params?: { name?: string } }) => number | "silence" | undefined;
  /** Breaks every connection and stops listening, as SIGKILL does. */
  kill(): Promise<void>;
  /** Listens again; sessions of before are unknown. */
  start(): Promise<void>;
  /** Breaks every connection and continues to listen. */
  cut(): void;
  /** The same, and refuses all that comes by the sessions that there are: calls that died fill them. */
  cutFull(): void;
}

/** What a server without an event store cannot tell: after an hour, so that a client which waits for it fails its test. */
export const retryInterval = 60 * 60_000;

/** Starts a fake server on a free port. With an event store it tells its clients to come back after `retryInterval`. */
export async function startFakeServer(createMcpServer: () => Server, eventStore?: EventStore): Promise<FakeServer> {
  let http: HttpServer | undefined;
  let port = 0;
  let full = new Set<unknown>();
  const start = async () => {
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    const server = createServer((request, response) => void handle(request, response, sessions));
    http = server;
    fake.cutFull = () => {
      full = new Set(sessions.keys());
      server.closeAllConnections();
    };
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  };
  const handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    sessions: Map<string, StreamableHTTPServerTransport>,
  ) => {
    if (request.url !== "/mcp") return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const status = fake.onRequest(body ?? {});
    if (status === "silence") return;
    if (status !== undefined) return void response.writeHead(status).end();
    const id = request.headers["mcp-session-id"];
    if (full.has(id)) return void response.writeHead(429).end("This session has reached its limit maxOpenCalls = 256.");
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) return void response.writeHead(404).end("session not found");
    const transport = known ?? (await openSession(sessions));
    await transport.handleRequest(request, response, body);
  };
  const openSession = async (sessions: Map<string, StreamableHTTPServerTransport>) => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      ...(eventStore === undefined ? {} : { eventStore, retryInterval }),
    });
    await createMcpServer().connect(transport as never);
    return transport;
  };
  const fake: FakeServer = {
    get url() {
      return `http://127.0.0.1:${port}/mcp`;
    },
    onRequest: () => undefined,
    async kill() {
      const closing = http;
      http = undefined;
      closing?.closeAllConnections();
      await new Promise<void>((resolve) => (closing === undefined ? resolve() : closing.close(() => resolve())));
    },
    start,
    cut: () => http?.closeAllConnections(),
    cutFull: () => {},
  };
  await start();
  return fake;
}
