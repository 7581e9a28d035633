import { type Engine, isJsonObject } from "@resumable-mcp/core";
import { tellLocal } from "../../control/instructions.js";
import { forSdk, withReadableError } from "../../sdk-workarounds.js";
import { Connection2026 } from "../connection.js";
import type { RegisterOptions2026 } from "../server-2026.js";
import { namesTasks, ownerFrom, subscriptionsOnly } from "../with-tasks.js";

/** The part of the SDK's `Transport` that a connection needs. Messages are JSON-RPC, of the SDK's own types. */
export interface StdioTransport {
  start(): Promise<void>;
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((...message: never[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/**
 * Wraps the transport that is handed to the SDK's `serveStdio`, so that clients can listen to tasks of a server with
 * `registerTools2026`. What `withTasks` does over HTTP.
 *
 * @example
 * serveStdio(createServer, { transport: withStdioTasks(new StdioServerTransport(), engine) });
 */
export function withStdioTasks<Wire extends StdioTransport>(
  wire: Wire,
  engine: Engine,
  options: Pick<RegisterOptions2026, "owner" | "singleUser" | "onError"> = {},
): Wire {
  const connection = new Connection2026({
    answers: subscriptionsOnly(engine, { ...options, maxSubscriptionsPerOwner: Number.POSITIVE_INFINITY }),
    write: (message) => wire.send(forSdk(message)),
    ownerOf: ownerFrom(options),
    onError: options.onError,
  });
  const transport: StdioTransport = {
    start() {
      wire.onmessage = (message, ...rest) => {
        if (namesTasks(message)) connection.receive(message);
        else if (!connection.cancels(message)) transport.onmessage?.(message, ...rest);
      };
      wire.onclose = () => {
        connection.end();
        transport.onclose?.();
      };
      wire.onerror = (error) => transport.onerror?.(error);
      return wire.start();
    },
    close: () => wire.close(),
    send: (message, sendOptions) => wire.send(forSdk(withLocal(withReadableError<object>(message))), sendOptions),
  };
  return withRest(wire, transport);
}

/** The SDK answers `server/discover` by a handler that it sets itself, after the tools are registered. */
function withLocal(message: object): object {
  const result: unknown = Reflect.get(message, "result");
  return isJsonObject(result) && "supportedVersions" in result ? { ...message, result: tellLocal(result) } : message;
}

/** Whatever else the transport has stays reachable, bound to it. */
function withRest<Wire extends StdioTransport>(wire: Wire, own: StdioTransport): Wire {
  return new Proxy(wire, {
    get(target, key) {
      if (key in own || key.toString().startsWith("on")) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(key.toString().startsWith("on") ? own : target, key, value),
  });
}
