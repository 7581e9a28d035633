import { type ConnectedMcpSessionPort, DispatchError } from "@modelcontextprotocol/ext-tasks/client";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { isJsonObject } from "@resumable-mcp/core";
import { z } from "zod";

const anyResult = z.looseObject({});

/**
 * Connects `ext-tasks` to the SDK of the 2025 era, for which it brings no adapter of its own.
 *
 * A request that the server did not answer may be sent once more: `ext-tasks` decides which.
 */
export function stockPort(client: Client, endpointId: string): ConnectedMcpSessionPort {
  const invalidated = new Set<(reason: unknown) => void>();
  const notified = new Set<(notification: never) => void>();
  let closed = false;
  client.onclose = () => {
    closed = true;
    for (const listener of invalidated) listener(new Error("The connection is closed."));
  };
  client.fallbackNotificationHandler = async (notification) => {
    for (const listener of notified) listener(JSON.parse(JSON.stringify(notification)) as never);
  };
  const { tasks } = client.getServerCapabilities() ?? {};
  return {
    endpointId,
    taskCapabilities:
      tasks === undefined
        ? { generation: "none" }
        : { generation: "v1", capabilities: JSON.parse(JSON.stringify(tasks)) },
    async dispatch(request, { signal } = {}) {
      if (!isJsonObject(request)) throw new DispatchError("A request has to be an object.");
      const { method, params } = request;
      const message = { method: String(method), ...(isJsonObject(params) ? { params } : {}) };
      try {
        const result = await client.request(message, anyResult, signal === undefined ? {} : { signal });
        return { kind: "result", result: JSON.parse(JSON.stringify(result)) };
      } catch (error) {
        throw new DispatchError("The request was not answered.", true, { cause: error });
      }
    },
    onServerRequest: () => () => {},
    onNotification: (listener) => added(notified, listener as (notification: never) => void),
    onInvalidated: (listener) => added(invalidated, listener),
    get invalidated() {
      return closed;
    },
  };
}

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
