import { type Engine, isJsonObject } from "@resumable-mcp/core";
import type { ServerDefinition } from "./define-server.js";
import { withReadableError } from "./readable-error.js";
import { type ChannelEnd, createStdioChannel } from "./stdio-channel.js";

/** What a connection over stdio is served with. */
export interface StdioErasOptions {
  readonly definition: ServerDefinition;
  readonly engine: Engine;
  readonly handoff?: boolean;
  /** Writes one message to the client. */
  readonly write: (message: object) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A connection, of whatever era its client turns out to be. */
export interface StdioEras {
  /** Takes one message of the client. */
  receive(message: unknown): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  readonly era: "legacy" | "modern";
  readonly end: ChannelEnd;
  close(): Promise<void>;
}

/**
 * Serves one client over stdio. Its first message tells its era; only the SDK of that era is loaded.
 *
 * A client that can do both asks `server/discover` first, often in a process that it ends right after: that answer
 * needs no store, so the engine is opened by the first message that asks for anything else. A client that goes on with
 * `initialize` after it is of the 2025 era; it has its answer before the engine is opened.
 *
 * Source: MCP 2026-07-28, Transports, "stdio"; Basic, "Versioning".
 */
export function serveStdioEras(options: StdioErasOptions): StdioEras {
  let connection: Connection | undefined;
  let opened = false;
  const open = () => {
    // A client that left before its first answer needs none.
    if (opened || options.engine.draining) return;
    opened = true;
    void options.engine.open().catch(options.onError);
  };
  const write = async (message: object) => {
    await options.write(message);
    open();
  };
  const connect = async (era: Connection["era"]): Promise<Connection> => {
    if (connection?.era === era) return connection;
    await connection?.close();
    connection = await (era === "modern" ? connectModern(options) : connectLegacy({ ...options, write }));
    return connection;
  };
  return {
    async receive(message) {
      const method = isJsonObject(message) ? message.method : undefined;
      if (method !== "server/discover" && method !== "initialize") open();
      const era =
        method === "initialize" ? "legacy" : (connection?.era ?? (claimsVersion(message) ? "modern" : "legacy"));
      (await connect(era)).end.deliver(message);
    },
    async close() {
      connection?.end.end();
      await connection?.close();
    },
  };
}

function claimsVersion(message: unknown): boolean {
  const params = isJsonObject(message) ? message.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && "io.modelcontextprotocol/protocolVersion" in meta;
}

async function connectLegacy({ definition, engine, handoff, write, onError }: StdioErasOptions): Promise<Connection> {
  const { createMcpServer } = await import("./legacy/create-mcp-server.js");
  const end = createStdioChannel((message) => write(withReadableError(message)));
  const server = await createMcpServer(definition, engine, { onError, ...(handoff === undefined ? {} : { handoff }) });
  await server.connect(end.channel);
  return { era: "legacy", end, close: () => server.close() };
}

async function connectModern({ definition, engine, handoff, write, onError }: StdioErasOptions): Promise<Connection> {
  const { serveModernStdio } = await import("./modern/serve-modern-stdio.js");
  const end = createStdioChannel(write);
  const served = serveModernStdio({
    definition,
    engine,
    channel: end.channel,
    onError,
    ...(handoff === undefined ? {} : { handoff }),
  });
  return { era: "modern", end, close: () => served.close() };
}
