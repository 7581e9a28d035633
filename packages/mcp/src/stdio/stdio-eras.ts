import { type Engine, isJsonObject } from "@resumable-mcp/core";
import { deliveryMethod } from "@resumable-mcp/protocol";
import { claimsVersion } from "../call/call.js";
import { bringValidator } from "../call/json-schema-validator.js";
import { noteDelivery } from "../call/result-delivered.js";
import type { ServerDefinition } from "../define-server.js";
import { reportsChange } from "../sdk-workarounds.js";
import type { FirstAnswer } from "./first-answer.js";

/** What a connection over stdio is served with. */
export interface StdioErasOptions {
  readonly definition: ServerDefinition;
  readonly engine: Engine;
  readonly handoff?: boolean;
  /** Writes one message to the client. */
  readonly write: (message: object) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Makes what the client sees of what the code of the definition's `setup` threw. */
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
}

/** A connection, of whatever era its client turns out to be. */
export interface StdioEras {
  /** Takes one message of the client; `first`: the {@link firstAnswer} to it, when the client has it already. */
  receive(message: object, first?: FirstAnswer): Promise<void>;
  close(): Promise<void>;
}

type Era = "2025" | "2026";

interface Connection {
  deliver(message: object): Promise<void>;
  /** The client closed the connection. */
  end(): void;
  close(): Promise<void>;
}

/**
 * Serves one client over stdio. Each request tells its era; only the SDKs of eras that are spoken are loaded.
 *
 * A client that can do both asks `server/discover` first, often in a process that it ends right after: that answer
 * needs no store, so the engine is opened by the first message that asks for anything else. A client that sends
 * `initialize` is of the 2025 era from then on; it has its answer before the engine is opened.
 *
 * Every request gets one response: what is in flight in one era is answered when the client continues in the other.
 *
 * Source: MCP 2026-07-28, Transports, "stdio"; Basic, "Versioning".
 */
export function serveStdioEras(options: StdioErasOptions): StdioEras {
  bringValidator(options.engine);
  const connections = new Map<Era, Promise<Connection>>();
  let opened = false;
  const open = () => {
    // A client that left before its first answer needs none.
    if (opened || options.engine.draining) return;
    opened = true;
    void options.engine.open().catch(options.onError);
  };
  let answered: FirstAnswer | undefined;
  const write = async (message: object) => {
    // The SDK receives the first request too, which was answered before.
    if (answered !== undefined && "id" in message && message.id === answered.id) answered = undefined;
    else if (reportsChange(message)) await options.write(message).catch(options.onError);
    else await options.write(message);
  };
  const writeAndOpen = async (message: object) => {
    await write(message);
    open();
  };
  const connect = (era: Era): Promise<Connection> => {
    const known = connections.get(era);
    if (known !== undefined) return known;
    const made = era === "2026" ? connect2026({ ...options, write }) : connect2025({ ...options, write: writeAndOpen });
    connections.set(era, made);
    return made;
  };
  return {
    async receive(message, first) {
      const method = isJsonObject(message) ? message.method : undefined;
      if (method === deliveryMethod)
        return options.write(await noteDelivery(options.engine, message)).catch(options.onError);
      if (method !== "server/discover" && method !== "initialize") open();
      if (first !== undefined) answered = first;
      for (const era of erasOf(message, [...connections.keys()])) {
        await (await connect(era)).deliver(message);
      }
    },
    async close() {
      const made = await Promise.all(connections.values());
      for (const connection of made) connection.end();
      await Promise.all(made.map((connection) => connection.close()));
    },
  };
}

/** Whose message it is. Only requests tell; the rest belongs to the era that the client speaks, or to both. Pure. */
function erasOf(message: unknown, connected: readonly Era[]): readonly Era[] {
  const { method } = isJsonObject(message) ? message : {};
  if (method === "initialize") return ["2025"];
  if (claimsVersion(message)) return ["2026"];
  // The request that it names may be of either.
  if (method === "notifications/cancelled" && connected.length > 0) return connected;
  return connected.includes("2025") ? ["2025"] : [connected[0] ?? "2025"];
}

async function connect2025(options: StdioErasOptions): Promise<Connection> {
  const { StdioConnection2025 } = await import("../era-2025/stdio-connection.js");
  const connection = await StdioConnection2025.open(options);
  return {
    deliver: (message) => connection.receive(message),
    end: () => connection.end(),
    close: () => connection.close(),
  };
}

async function connect2026({
  definition,
  engine,
  handoff,
  write,
  onError,
  maskThrown,
}: StdioErasOptions): Promise<Connection> {
  const { Router2026 } = await import("../era-2026/router.js");
  const { Connection2026 } = await import("../era-2026/connection.js");
  const answers = new Router2026({
    definition,
    engine,
    handoff,
    onError,
    maskThrown,
    // One owner has the connection for itself, and what its server sends outside a request.
    maxSubscriptionsPerOwner: Number.POSITIVE_INFINITY,
    onOther: (message) => connection.send(message),
  });
  const connection = new Connection2026({ answers, write, onError });
  const { listener } = answers;
  return {
    deliver: async (message) => connection.receive(message),
    end: () => connection.end(),
    close: async () => listener.close(),
  };
}
