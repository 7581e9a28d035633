import { isJsonObject } from "@resumable-mcp/core";
import { limits } from "../../limits.js";
import { forSdk } from "../../sdk-workarounds.js";
import { hearCallers, type Receipt } from "./receipt.js";

type RequestId = string | number;

/** The key of a method of transports that know better than their `send` when a response reached the connection. */
export const takesReceipts: unique symbol = Symbol("resumable-mcp.takes-receipts");

/** Such a transport. */
export interface TakesReceipts {
  [takesReceipts](requestId: RequestId, receipt: Receipt): void;
}

/** The part of an SDK's `Server` that is needed here. */
interface ConnectedServer {
  readonly transport?: object | undefined;
}

/** The part of an SDK's `Transport` that is needed here. */
interface Wire {
  send(message: unknown, ...rest: unknown[]): Promise<void>;
  onmessage?: ((message: unknown, ...rest: unknown[]) => void) | undefined;
}

const connections = new WeakMap<object, Map<RequestId, Receipt>>();

/**
 * Notes that the response to a request will carry a task's result, before the handler returns it.
 *
 * A transport of this toolkit tells itself when the connection accepted the response. Of any other its `send` is
 * believed, and its messages are searched for a later cancellation.
 *
 * Source: MCP, Basic, "Cancellation".
 */
export function noteReceipt(server: ConnectedServer, requestId: RequestId, receipt: Receipt): void {
  const { transport } = server;
  // Without a connection the response reaches no client.
  if (transport === undefined) return;
  if (knowsReceipts(transport)) transport[takesReceipts](requestId, receipt);
  else remember(connections.get(transport) ?? watch(server, transport), requestId, receipt);
}

function remember(receipts: Map<RequestId, Receipt>, requestId: RequestId, receipt: Receipt): void {
  receipts.delete(requestId);
  receipts.set(requestId, receipt);
  const [oldest] = receipts.keys();
  if (receipts.size > limits.maxReceipts && oldest !== undefined) receipts.delete(oldest);
}

/** Tells whether a response is what a completed task came to; the SDK may have put an error in its place. */
export function isCompletedResponse(message: unknown): boolean {
  return isJsonObject(message) && isJsonObject(message.result) && message.result.isError !== true;
}

function knowsReceipts(transport: object): transport is TakesReceipts {
  return takesReceipts in transport;
}

function watch(server: ConnectedServer, transport: object): Map<RequestId, Receipt> {
  const receipts = new Map<RequestId, Receipt>();
  connections.set(transport, receipts);
  // Every transport of the SDKs has these two; their message types differ, and are only passed on.
  const wire: Wire = forSdk(transport);
  const { send, onmessage } = wire;
  wire.send = async (message, ...rest) => {
    const receipt = isCompletedResponse(message) ? receipts.get(idOf(message)) : undefined;
    if (receipt === undefined) return send.call(wire, message, ...rest);
    await hearCallers();
    receipt.sending();
    const isOpen = server.transport === transport;
    await send.call(wire, message, ...rest);
    if (isOpen) receipt.sent();
  };
  wire.onmessage = (message, ...rest) => {
    receipts.get(cancelledId(message))?.withdraw();
    onmessage?.call(wire, message, ...rest);
  };
  return receipts;
}

/** The empty text is the id of no request. */
function idOf(message: unknown): RequestId {
  return isJsonObject(message) && isRequestId(message.id) ? message.id : "";
}

function cancelledId(message: unknown): RequestId {
  if (!isJsonObject(message) || message.method !== "notifications/cancelled") return "";
  const id = isJsonObject(message.params) ? message.params.requestId : undefined;
  return isRequestId(id) ? id : "";
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
