import { setImmediate as nextTurn } from "node:timers/promises";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { limits } from "../limits.js";
import { localityOf } from "../owner/owner.js";
import { type ConnectedServer, watchTransport } from "../sdk-workarounds.js";
import { type Call, isRequestId } from "./call.js";
import { LateCancellations } from "./late-cancellations.js";

/** A task's result on its way to a caller. */
export interface Receipt {
  /** The response is about to be written. */
  sending(): void;
  /** A connection that was open accepted the last byte: the result counts as delivered. */
  sent(): void;
  /** The caller gave its request up: the result does not count as delivered, unless it was sent and `late` does not count. */
  withdraw(late: LateCancellations): void;
}

/** Named points between the end of a task and the note that its result was delivered, in their order. */
export const resultPoints = ["result.ready", "result.sending", "result.sent", "result.delivered"] as const;

/**
 * Makes the receipt of one response that carries a task's result.
 *
 * Durability: what cannot be noted counts as not delivered; the same call gets the result once more.
 */
function createReceipt({ engine, tasks, meta }: Call, taskId: string): Receipt {
  // The supervisor in front reports itself what became of the result.
  let state: "open" | "sent" | "withdrawn" = meta.tellsDelivery ? "withdrawn" : "open";
  let sentMs = 0;
  const observe = (point: (typeof resultPoints)[number]): void => engine.observe(point, taskId);
  observe("result.ready");
  return {
    sending: () => observe("result.sending"),
    sent() {
      if (state !== "open") return;
      state = "sent";
      sentMs = performance.now();
      observe("result.sent");
      tasks.markDelivered(taskId).then(
        () => observe("result.delivered"),
        () => {},
      );
    },
    withdraw(late) {
      if (state === "sent" && !late.counts({ afterMs: performance.now() - sentMs, taskId })) return;
      if (state === "sent") tasks.withdrawDelivered(taskId).catch(() => {});
      state = "withdrawn";
    },
  };
}

/**
 * Resolves when whatever callers have sent by now was heard: that they give up, or that their connection ended.
 *
 * The first turn may be past its look at the sockets already, so it takes two.
 */
export async function hearCallers(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

type RequestId = string | number;

/** The key of a method that notes a receipt: transports of this toolkit have it, others get it here. */
export const takesReceipts: unique symbol = Symbol("resumable-mcp.takes-receipts");

/** Such a transport. */
export interface TakesReceipts {
  [takesReceipts](requestId: RequestId, receipt: Receipt): void;
}

/**
 * Notes, before its handler returns, that the response to a call will carry a task's result. The result counts as delivered
 * once the connection accepted the response while it was open, and no longer when a cancellation crosses it.
 *
 * A transport of this toolkit tells itself when the connection accepted the response. Of any other its `send` is
 * believed, and its messages are searched for a later cancellation. For an HTTP request that the SDK answers, who sends the
 * answer calls {@link answerSent}.
 *
 * Source: MCP, Basic, "Cancellation".
 */
export function carryResult(call: Call, taskId: string): void {
  const { server, request, requestId } = call;
  const receipt = createReceipt(call, taskId);
  const { transport } = server;
  // Without a connection the response reaches no client.
  if (transport === undefined) return;
  const taker = knowsReceipts(transport) ? transport : watch(server, transport, request);
  const sent = request === undefined ? receipt.sent : () => void held.set(request, receipt);
  taker[takesReceipts](requestId, { ...receipt, sent });
}

const held = new WeakMap<object, Receipt>();

/** The connection accepted the last byte of the answer to a request. */
export function answerSent(request: object): void {
  held.get(request)?.sent();
}

/** Tells whether a response is what a completed task came to; the SDK may have put an error in its place. */
export function isCompletedResponse(message: unknown): boolean {
  return isJsonObject(message) && isJsonObject(message.result) && message.result.isError !== true;
}

function knowsReceipts(transport: object): transport is TakesReceipts {
  return takesReceipts in transport;
}

function watch(server: ConnectedServer, transport: object, request: object | undefined): TakesReceipts {
  const receipts = new Map<unknown, Receipt>();
  const late = new LateCancellations(request === undefined || localityOf(request).local ? "local" : "remote");
  const sending = (message: unknown) => {
    const receipt = isJsonObject(message) && isCompletedResponse(message) ? receipts.get(message.id) : undefined;
    return receipt && send(receipt);
  };
  const send = async (receipt: Receipt) => {
    await hearCallers();
    receipt.sending();
    return server.transport === transport ? receipt.sent : undefined;
  };
  watchTransport(transport, sending, (message) => receipts.get(cancelledId(message))?.withdraw(late));
  return Object.assign(transport, {
    [takesReceipts](requestId: RequestId, receipt: Receipt) {
      receipts.delete(requestId);
      receipts.set(requestId, receipt);
      const [oldest] = receipts.keys();
      if (receipts.size > limits.maxReceipts) receipts.delete(oldest);
    },
  });
}

/** The id of the request that a message cancels. */
export function cancelledId(message: unknown): RequestId | undefined {
  if (!isJsonObject(message) || message.method !== "notifications/cancelled") return undefined;
  const id = isJsonObject(message.params) ? message.params.requestId : undefined;
  return isRequestId(id) ? id : undefined;
}

/**
 * Carries out a supervisor's `deliveryMethod` request, and gives the response: it says that the note is durable.
 *
 * An unknown task is answered like any other. Supervisor and host are the one local user, to whom every task belongs.
 */
export async function noteDelivery(engine: Engine, message: unknown): Promise<JsonObject> {
  const { id = null, params }: JsonObject = isJsonObject(message) ? message : {};
  const { taskId, delivered }: JsonObject = isJsonObject(params) ? params : {};
  try {
    const task = typeof taskId === "string" ? await engine.readTask(taskId) : undefined;
    if (task !== undefined) await note(engine, task.record, delivered === true);
    return { jsonrpc: "2.0", id, result: {} };
  } catch {
    const text = "The server could not record whether it delivered a result. The same call gets the result again.";
    return rpcErrorResponse(id, rpcCodes.internalError, text);
  }
}

async function note(engine: Engine, { id, owner }: { id: string; owner: string }, delivered: boolean): Promise<void> {
  const tasks = engine.forOwner(owner);
  if (!delivered) return tasks.withdrawDelivered(id);
  engine.observe("result.sent", id);
  await tasks.markDelivered(id);
  engine.observe("result.delivered", id);
}
