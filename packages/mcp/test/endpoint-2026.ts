import { setImmediate as nextTurn } from "node:timers/promises";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createEngine,
  createMemoryStore,
  type Engine,
  type JsonObject,
  type Store,
  type Tool,
} from "@resumable-mcp/core";
import { createEngineTelemetry } from "@resumable-mcp/telemetry";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { ServerDefinition } from "../src/define-server.js";
import type { Handler2026 } from "../src/era-2026/handler-options.js";
import { createHandler2026 } from "../src/era-2026/index.js";

const version = "2026-07-28";
const url = "http://127.0.0.1/mcp";

/** An answer to a request that a test sends without a client. */
export interface Answer {
  readonly status: number;
  readonly result: JsonObject;
  readonly error: JsonObject;
}

/** An engine behind an endpoint of the 2026 era, and ways to reach it. */
export interface Endpoint {
  readonly engine: Engine;
  readonly handler: Handler2026;
  /** Sends one request; `options` may name its client's capabilities and whose token it carries. */
  send(method: string, params?: JsonObject, options?: SendOptions): Promise<Answer>;
  /** The same, for requests that are answered with a stream. */
  open(method: string, params?: JsonObject, options?: SendOptions): Promise<Response>;
  connect(options?: ClientOptions): Promise<Client>;
  close(): Promise<void>;
}

/** How a request is sent. */
export interface SendOptions {
  readonly capabilities?: JsonObject;
  /** Whose token it carries; `undefined`: none, which is an error here. */
  readonly user?: string | undefined;
  readonly signal?: AbortSignal;
  /** The token expired since the server checked it. */
  readonly expired?: boolean;
  /** The id of the request. Default: the next whole number. */
  readonly id?: string | number;
}

/** Capabilities of a client with the tasks extension. */
export const withTasksExtension: JsonObject = {
  elicitation: {},
  extensions: { "io.modelcontextprotocol/tasks": {} },
};

/** Opens an endpoint; nothing listens, requests are handed to it. */
export function openEndpoint(
  tools: readonly Tool[],
  store: Store = createMemoryStore(),
  more: Partial<ServerDefinition> = {},
): Endpoint {
  // Tools that wait at a closed gate are not waited for.
  const telemetry = createEngineTelemetry();
  const engine = createEngine({ store, tools, telemetry, limits: { graceMs: 20, drainTimeoutMs: 20 } });
  const definition = { name: "test", version: "1", tools, ...more };
  const handler = createHandler2026({ engine, definition });
  let nextId = 1;
  const open: Endpoint["open"] = (method, params = {}, { capabilities = {}, signal, id, expired, ...rest } = {}) => {
    const user = "user" in rest ? rest.user : "ada";
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...(params._meta as JsonObject | undefined),
    };
    const body = { jsonrpc: "2.0", id: id ?? nextId++, method, params: { ...params, _meta } };
    const name = params.name ?? params.taskId ?? params.uri;
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    };
    const request = new Request(url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    return handler.fetch(
      request,
      user === undefined ? {} : { authInfo: { ...tokenOf(user), ...(expired === true && { expiresAt: 1 }) } },
    );
  };
  return {
    engine,
    handler,
    open,
    async send(method, params, options) {
      const response = await open(method, params, options);
      // As over a network: one request after the other leaves other things their turns.
      await nextTurn();
      return { status: response.status, ...(await messageOf(response)) };
    },
    async connect(options = {}) {
      const client = new Client(
        { name: "stock", version: "1" },
        { versionNegotiation: { mode: { pin: version } }, ...options },
      );
      const fetch = (input: string | URL | Request, init?: RequestInit) =>
        handler.fetch(new Request(input, init), { authInfo: tokenOf("ada") });
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
      return client;
    },
    async close() {
      await handler.close();
      await engine.close();
    },
  };
}

/** The messages of a stream, one by one. */
export async function* messagesOf({ body }: Response): AsyncGenerator<JsonObject, void, void> {
  if (body === null) return;
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) yield JSON.parse(data);
}

/** The last message of an answer: the only one, or the end of its stream. */
async function messageOf(response: Response): Promise<{ readonly result: JsonObject; readonly error: JsonObject }> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json")) return JSON.parse(text);
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(data.at(-1)?.slice(6) ?? "{}");
}

function tokenOf(user: string) {
  return { token: `token-of-${user}`, clientId: "stock", scopes: [], extra: { sub: user } };
}
