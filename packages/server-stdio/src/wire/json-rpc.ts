import { parseJson, problemOfJson, type RpcId, readRpcId, rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";

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

/** Parses one line of a server; `undefined` when it is not a message. */
export function parseLine(line: string): RpcMessage | undefined {
  const value = parseJson(line);
  // Only fields that were checked where they are read are trusted.
  return isObject(value) && value.jsonrpc === "2.0" ? (value as unknown as RpcMessage) : undefined;
}

/** What the host wrote: a message, or what is answered to a line that is none. */
export type HostLine = { readonly message: RpcMessage } | { readonly refusal: object };

/**
 * Reads one line of the host. Source: JSON-RPC 2.0, "Error object" (-32700, -32600); MCP, Transports, "stdio".
 *
 * Limits: `maxJsonDepth`; what comes after this recurses.
 */
export function readHostLine(line: string): HostLine {
  const value = parseJson(line);
  if (value === undefined) return refuse(null, rpcCodes.parseError, "Parse error: the line is not JSON.");
  if (!isObject(value) || value.jsonrpc !== "2.0")
    return refuse(
      null,
      rpcCodes.invalidRequest,
      "Invalid Request: the line is not a JSON-RPC 2.0 message. Send one message in each line.",
    );
  if (!isMessage(value))
    return refuse(
      readRpcId(value.id),
      rpcCodes.invalidRequest,
      "Invalid Request: the id, the method or the params of the message are malformed.",
    );
  const problem = problemOfJson(line);
  if (problem !== undefined)
    return refuse(readRpcId(value.id), rpcCodes.invalidRequest, `Invalid Request: the message ${problem}.`);
  // Only fields that were checked where they are read are trusted.
  return { message: value as unknown as RpcMessage };
}

/** Tells whether an object is a request, a notification or a response: anything else has no receiver. */
function isMessage({ id, method, params, result, error }: RpcObject): boolean {
  // A response is never answered, whatever it looks like: two ends that did so would never stop.
  if (method === undefined) return result !== undefined || error !== undefined;
  if (id !== undefined && readRpcId(id) === null) return false;
  return typeof method === "string" && (params === undefined || isObject(params));
}

function refuse(id: RpcId | null, code: number, message: string): HostLine {
  return { refusal: rpcErrorResponse(id, code, message) };
}

/** Reads the `_meta` of a message, wherever that kind of message has it. */
export function readMeta(message: RpcMessage): RpcObject {
  const meta = (message.result ?? message.params)?._meta;
  return isObject(meta) ? meta : {};
}

/** Adds keys to the `_meta` of a message. */
export function withMeta<Message extends RpcMessage>(message: Message, keys: RpcObject): Message {
  return { ...message, params: { ...message.params, _meta: { ...readMeta(message), ...keys } } };
}

/** Tells whether a value is an object, and not an array. */
export function isObject(value: unknown): value is RpcObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
