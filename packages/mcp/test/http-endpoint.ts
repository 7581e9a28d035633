import { createServer as createHttpServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createEngine, createMemoryStore, type Store, type Tool } from "@resumable-mcp/core";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { PanelPage } from "../src/define-server.js";
import type { SessionHandlerOptions } from "../src/era-2025/session/registry/session-server.js";
import { createSessionHandler, local, nodeListener, withCrossStreamReplay } from "../src/index.js";

/** What an endpoint of a test is made of. */
export interface EndpointOptions
  extends Partial<Omit<SessionHandlerOptions, "engine" | "definition" | "createServer">> {
  readonly tools: readonly Tool[];
  readonly setup?: (server: McpServer) => void;
  /** Left open when the endpoint is closed, for the next one. */
  readonly store?: Store;
  readonly crossStreamReplay?: boolean;
  readonly panel?: PanelPage;
  /** Subjects by bearer token. */
  readonly subjects?: Record<string, unknown>;
  /** All requests are local. */
  readonly isLocal?: boolean;
  /** A token that expired since the server checked it. */
  readonly expired?: string;
}

/** An endpoint on a free port of this machine, in this process. */
export async function openEndpoint({
  tools,
  setup,
  subjects,
  expired,
  store = createMemoryStore(),
  crossStreamReplay,
  panel,
  isLocal = false,
  ...options
}: EndpointOptions) {
  const engine = createEngine({
    store,
    tools,
    limits: { graceMs: 20, drainTimeoutMs: 20 },
  });
  const sessions = createSessionHandler({
    engine,
    definition: {
      name: "test",
      version: "1",
      tools,
      controlTools: "all",
      ...(panel && { panel }),
      ...(setup && { setup }),
    },
    ...options,
  });
  const handler =
    crossStreamReplay === true ? withCrossStreamReplay(sessions, { documents: engine.documents }) : sessions;
  const authInfoOf = (request: Request) => {
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    const sub = subjects?.[token];
    return sub === undefined
      ? {}
      : {
          authInfo: {
            token,
            clientId: "stock",
            scopes: [],
            expiresAt: token === expired ? 1 : undefined,
            extra: { sub },
          },
        };
  };
  // With subjects by way of Web-standard requests, without them by Node's own: both are to behave alike.
  const localities = isLocal ? { locality: local } : {};
  const webListener = nodeListener((request) => handler.fetch(request, { ...authInfoOf(request), ...localities }));
  const http = createHttpServer(subjects === undefined && !isLocal ? handler.node : webListener);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port : 0;
  const url = `http://127.0.0.1:${port}/mcp`;
  const close = async () => {
    await handler.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await engine.close();
  };
  return { engine, store, handler, url, close };
}

/** A stock client, connected. */
export async function connectClient(url: string, options: { token?: string; capabilities?: object } = {}) {
  const client = new Client({ name: "stock", version: "1" }, { capabilities: options.capabilities ?? {} });
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return { client, transport };
}

/** Posts one message as a client without an SDK does. */
export function post(url: string, message: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

/** Opens an endpoint that closes with the test. */
export async function openForTest(options: Parameters<typeof openEndpoint>[0]) {
  const opened = await openEndpoint(options);
  onTestFinished(opened.close);
  return opened;
}

/** Opens a session by hand; gives the headers that name it. */
export async function openSession(
  url: string,
  headers: Record<string, string> = {},
  protocolVersion = "2025-11-25",
  capabilities = {},
) {
  const params = { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1" } };
  const response = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
  const session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "", ...headers };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  return session;
}

const event = z.object({ id: z.string().optional(), message: z.looseObject({}).optional() });
/** One event of a stream, as far as tests look at it. */
export type StreamEvent = z.output<typeof event>;

/** Reads the events of an answer one by one; one in JSON counts as one event. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, void, void> {
  if (response.headers.get("content-type") === "application/json") {
    yield event.parse({ message: await response.json() });
    return;
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      if (data === undefined && field("id") === undefined && !block.includes("data:")) continue;
      yield event.parse({ id: field("id"), ...(data ? { message: JSON.parse(data) } : {}) });
    }
  }
}

/** A call of the counting tool, by hand. */
export const countTo = (n: number, id = 7, _meta = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "count_to", arguments: { n }, _meta: { progressToken: "p", ..._meta } },
});

/** The task whose journal a stream shows, as the id of an event names it. */
export function taskOfEvent(eventId = ""): string {
  const text = eventId.split(".")[0]?.split("_").slice(3).join("_") ?? "";
  return String(Reflect.get(Object(JSON.parse(Buffer.from(text, "base64url").toString())), 3));
}

/** Resumes a stream behind an event. */
export const resume = (url: string, session: Record<string, string>, last: string) =>
  fetch(url, { headers: { accept: "text/event-stream", ...session, "last-event-id": last } });

/** Reads events until one of them is wanted. */
export async function readUntil(events: ReturnType<typeof eventsOf>, wanted: (event: StreamEvent) => boolean) {
  const seen = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return seen;
    seen.push(value);
    if (wanted(value)) return seen;
  }
}
