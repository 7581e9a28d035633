import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/**
 * Notes the progress of a client's next call as it comes over the wire, and does something once when it reaches a value.
 *
 * Not what `onprogress` hears: the SDK's client drops progress that comes in one piece with the call's result.
 */
export function progressUntil(client: Client, value: number, act: () => Promise<void>) {
  const { transport } = client;
  if (transport === undefined) throw new Error("The client is not connected.");
  const seen: number[] = [];
  const acts: Promise<void>[] = [];
  let token: unknown;
  const { send, onmessage } = transport;
  transport.send = (message, options) => {
    if (methodOf(message) === "tools/call") token ??= paramOf(message, "_meta", "progressToken");
    return send.call(transport, message, options);
  };
  transport.onmessage = (message, extra) => {
    if (methodOf(message) === "notifications/progress" && paramOf(message, "progressToken") === token) {
      const progress = Number(paramOf(message, "progress"));
      seen.push(progress);
      if (progress === value && acts.length === 0) acts.push(act());
    }
    onmessage?.(message, extra);
  };
  return { seen, onprogress: () => {}, acted: () => Promise.all(acts) };
}

function methodOf(message: JSONRPCMessage): unknown {
  return Reflect.get(message, "method");
}

function paramOf(message: JSONRPCMessage, ...path: readonly string[]): unknown {
  return ["params", ...path].reduce<unknown>((value, key) => Reflect.get(Object(value), key), message);
}
