import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { inTime } from "@resumable-mcp/core/internal";
import { ConnectionClient } from "../call/session-client.js";
import { KnownTools, readToolKinds, type ToolKinds } from "../era-2025/session/tool-kinds.js";
import { limits } from "../limits.js";
import { randomToken } from "../owner/random-token.js";
import { forSdk } from "../sdk-workarounds.js";
import { type ChannelEnd, createStdioChannel } from "./stdio-channel.js";

/**
 * Makes a channel whose requests are attributed to the client that the connection named last. They reach the server in
 * the order in which they come, also while the server is asked which of its tools take the argument `client_id`.
 */
export function createAttributedChannel(write: (message: object) => Promise<void>): ChannelEnd {
  const client = new ConnectionClient();
  const list = createToolList((message) => inner.deliver(message));
  const inner = createStdioChannel(async (message) => {
    if (!list.takes(message)) await write(message);
  });
  const enter = async (message: object): Promise<void> => {
    if (!isRequest(message)) return inner.deliver(message);
    const kinds = client.needsTools(message) ? await list.read() : undefined;
    const name = message.params?.name;
    const takesArgument = typeof name === "string" && kinds?.get(name)?.clientArgument !== undefined;
    return inner.deliver(client.attribute(message, takesArgument));
  };
  let entered: Promise<unknown> = Promise.resolve();
  return {
    channel: inner.channel,
    deliver(message) {
      const done = entered.then(() => enter(message));
      entered = done.catch(() => {});
      return done;
    },
    end: () => inner.end(),
  };
}

interface ChannelRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params?: { readonly [key: string]: unknown };
}

function isRequest(message: unknown): message is ChannelRequest {
  if (!isJsonObject(message) || !("id" in message) || typeof message.method !== "string") return false;
  return message.params === undefined || isJsonObject(message.params);
}

/** Asks the server behind a channel for its tools, when they have to be known. */
function createToolList(ask: (message: object) => Promise<void>) {
  const prefix = `own_${randomToken(9)}_`;
  const asked = new Map<unknown, (answer: JSONRPCMessage) => void>();
  let count = 0;
  const askPage = (cursor?: string) =>
    new Promise<JSONRPCMessage>((resolve, reject) => {
      const id = `${prefix}${++count}`;
      asked.set(id, resolve);
      const params = cursor === undefined ? {} : { cursor };
      ask({ jsonrpc: "2.0", id, method: "tools/list", params }).catch(reject);
    });
  const tools = new KnownTools(() => readToolKinds(askPage));
  return {
    /** What the server offers; `undefined` when it does not say so in time. */
    read: (): Promise<ToolKinds | undefined> => inTime(tools.kinds(), limits.toolListTimeoutMs, () => undefined),
    /** Takes the answers to its own requests out of what the server says. */
    takes(message: object): boolean {
      if ("method" in message && message.method === "notifications/tools/list_changed") tools.forget();
      const answered = "id" in message ? asked.get(message.id) : undefined;
      if (answered === undefined || !("id" in message) || "method" in message) return false;
      asked.delete(message.id);
      answered(forSdk(message));
      return true;
    },
  };
}
