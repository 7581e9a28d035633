import { type Engine, isJsonObject, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { envelopeKeys } from "@resumable-mcp/protocol";
import { isRequestId } from "../../call/call.js";
import { bringValidator } from "../../call/json-schema-validator.js";
import { cancelledId } from "../../call/receipt.js";
import { asRpcError, type RpcErrorBody } from "../../call/rpc-error.js";
import { tellLocal } from "../../control/register-tools.js";
import { limits2026 } from "../../limits.js";
import { forSdk, unwrapAnswer, withReadableError } from "../../sdk-workarounds.js";
import { missingTasksExtension } from "../call-2026.js";
import type { RegisterOptions2026 } from "../server-2026.js";
import {
  isAcknowledgement,
  type ListenRequest,
  listenTasks,
  parseListenRequest,
  type WatchedPart,
  withWatched,
} from "../subscriptions/listen-request.js";
import { limitReached } from "../subscriptions/listener.js";
import { ownPart, watchTasks } from "../subscriptions/task-watch.js";

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
 * Wraps the transport that is handed to the SDK's `serveStdio`, so that calls can be answered with tasks and clients
 * can listen to them. What `withTasks` does over HTTP.
 *
 * @example
 * serveStdio(createServer, { transport: withStdioTasks(new StdioServerTransport(), engine) });
 */
export function withStdioTasks<Wire extends StdioTransport>(
  wire: Wire,
  engine: Engine,
  options: Pick<RegisterOptions2026, "owner" | "singleUser" | "onError"> = {},
): Wire {
  const { maxSubscriptions } = limits2026;
  bringValidator(engine);
  const subscriptions = new Map<string | number, Subscription>();
  let opening = 0;
  const send = (message: JsonObject): Promise<void> => wire.send(forSdk(message));
  const sendQuietly = (message: JsonObject): void => void send(message).catch((error) => options.onError?.(error));
  const transport: StdioTransport = {
    start() {
      wire.onmessage = receive;
      wire.onclose = () => {
        for (const { stop } of subscriptions.values()) stop.abort("closed");
        transport.onclose?.();
      };
      wire.onerror = (error) => transport.onerror?.(error);
      return wire.start();
    },
    close: () => wire.close(),
    async send(message, sendOptions) {
      const subscription = isAcknowledgement(message) ? subscriptions.get(subscriptionOf(message)) : undefined;
      if (subscription === undefined)
        return wire.send(forSdk(withLocal(withReadableError<object>(unwrapAnswer(message)))), sendOptions);
      await send(withWatched(message, subscription));
      watchTasks({ ...subscription, engine, signal: subscription.stop.signal, send, onError: options.onError });
    },
  };
  const listen = async (request: ListenRequest, message: never, extra: never): Promise<void> => {
    const stop = new AbortController();
    const tasks = listenTasks(engine, options, request, stop.signal, undefined);
    const watched = await ownPart(tasks, request);
    subscriptions.set(request.id, { subscriptionId: request.id, tasks, ...watched, stop });
    transport.onmessage?.(message, extra);
  };
  const refuse = (id: string | number, error: RpcErrorBody): void =>
    sendQuietly({ jsonrpc: "2.0", id, error: { ...error } });
  const receive = (message: never, extra: never): void => {
    const request = parseListenRequest(message);
    if (request === undefined || !request.namesTasks) {
      const cancelled = cancelledId(message) ?? "";
      subscriptions.get(cancelled)?.stop.abort("cancelled");
      subscriptions.delete(cancelled);
      transport.onmessage?.(message, extra);
    } else if (request.taskIds !== undefined && !request.declared) refuse(request.id, missingTasksExtension);
    else if (subscriptions.size + opening >= maxSubscriptions)
      refuse(request.id, limitReached("maxSubscriptions", maxSubscriptions));
    else {
      opening += 1;
      listen(request, message, extra)
        .catch((error: unknown) => {
          const { code, message } = asRpcError(error);
          refuse(request.id, { code, message });
        })
        .finally(() => {
          opening -= 1;
        });
    }
  };
  return withRest(wire, transport);
}

/** The SDK answers `server/discover` by a handler that it sets itself, after the tools are registered. */
function withLocal(message: object): object {
  const result: unknown = Reflect.get(message, "result");
  return isJsonObject(result) && "supportedVersions" in result ? { ...message, result: tellLocal(result) } : message;
}

interface Subscription extends WatchedPart {
  readonly subscriptionId: string | number;
  readonly tasks: OwnedTasks;
  readonly stop: AbortController;
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

function subscriptionOf(message: JsonObject): string | number {
  const params = isJsonObject(message.params) ? message.params : {};
  const id = isJsonObject(params._meta) ? params._meta[envelopeKeys.subscriptionId] : undefined;
  return isRequestId(id) ? id : "";
}
