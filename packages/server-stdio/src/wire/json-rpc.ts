import type { RpcId } from "@resumable-mcp/protocol";

/** A message of JSON-RPC 2.0, as far as a supervisor looks into it. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RpcId;
  readonly method?: string;
  readonly params?: RpcObject;
  readonly result?: RpcObject;
  readonly error?: unknown;
}

/** An object inside a message. */
export interface RpcObject {
  readonly [key: string]: unknown;
}

/** A request: it has an id and wants an answer. */
export type RpcRequest = RpcMessage & { readonly id: RpcId; readonly method: string };

/** Tells a request from notifications and responses. */
export function isRequest(message: RpcMessage): message is RpcRequest {
  return message.id !== undefined && message.method !== undefined;
}

/** Tells a response from requests and notifications. */
export function isResponse(message: RpcMessage): message is RpcMessage & { readonly id: RpcId } {
  return message.id !== undefined && message.method === undefined;
}

/** Parses one line; `undefined` when it is not a message. */
export function parseLine(line: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // Only fields that were checked where they are read are trusted.
    return isObject(value) && value.jsonrpc === "2.0" ? (value as unknown as RpcMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the `_meta` of a message, wherever that kind of message has it. */
export function metaOf(message: RpcMessage): RpcObject {
  const meta = (message.result ?? message.params)?._meta;
  return isObject(meta) ? meta : {};
}

/** Adds keys to the `_meta` of a message. */
export function withMeta<Message extends RpcMessage>(message: Message, keys: RpcObject): Message {
  return { ...message, params: { ...message.params, _meta: { ...metaOf(message), ...keys } } };
}

/** Tells whether a value is an object, and not an array. */
export function isObject(value: unknown): value is RpcObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
