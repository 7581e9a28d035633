import { setImmediate as nextTurn } from "node:timers/promises";
import { type Engine, isJsonObject, isResumableError, type JsonObject, type TaskView } from "@resumable-mcp/core";
import { metaKeys, rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { limits } from "../limits.js";
import { type ConnectedServer, watchTransport } from "../sdk-workarounds.js";
import { type Call, isRequestId } from "./call.js";
import { LateCancellations, type Receipt } from "./late-cancellations.js";
import { mirroredError } from "./tool-result.js";

/** Named points between the end of a task and the note that its result was delivered, in their order. */
export const resultPoints = ["result.ready", "result.sending", "result.sent", "result.delivered"] as const;

/**
 * Makes the receipt of one response that carries a task's result.
 *
 * Durability: what cannot be noted counts as not delivered; the same call gets the result once more.
 */
function createReceipt({ engine, tasks, meta }: Call, { record }: TaskView): Receipt {
  const { id: taskId } = record;
  const isRefusal = mirroredError({ engine }, record) !== undefined;
  // The supervisor in front reports itself what became of the result. An error does not say whose it is.
  let state: "open" | "sent" | "withdrawn" = meta.tellsDelivery && !isRefusal ? "withdrawn" : "open";
  let sentMs = 0;
  const observe = (point: (typeof resultPoints)[number]): void => engine.observe(point, taskId);
  observe("result.ready");
  return {
    isRefusal,
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

/** Notes, before a call has its answer, that the response will carry a task's result. */
export function carryResult(call: Call, view: TaskView): void {
  call.carry(createReceipt(call, view));
}

/**
 * Makes what carries receipts to the transport of a server of an SDK. The result counts as delivered once the connection
 * accepted the response while it was open, and no longer when a cancellation crosses it.
 *
 * A transport of this toolkit tells itself when the connection accepted the response. Of any other its `send` is
 * believed, and its messages are searched for a later cancellation.
 *
 * Source: MCP, Basic, "Cancellation".
 */
export function makeCarrier(server: ConnectedServer, requestId: RequestId, where: "local" | "remote"): Call["carry"] {
  return (receipt) => {
    const { transport } = server;
    // Without a connection the response reaches no client.
    if (transport === undefined) return;
    const taker = knowsReceipts(transport) ? transport : watch(server, transport, where);
    taker[takesReceipts](requestId, receipt);
  };
}

/** Tells whether a response is what a completed task came to; the SDK may have put an error in its place. */
export function isCompletedResponse(message: unknown, { isRefusal }: Pick<Receipt, "isRefusal">): boolean {
  const { result, error }: JsonObject = isJsonObject(message) ? message : {};
  if (!isJsonObject(result)) return isRefusal && error !== undefined;
  return result.isError !== true || Object(result._meta)[metaKeys.status] === "completed";
}

function knowsReceipts(transport: object): transport is TakesReceipts {
  return takesReceipts in transport;
}

/** The receipts of one connection, whose client may cancel a request when it has the response. */
export class ConnectionReceipts {
  readonly #late: LateCancellations;
  readonly #receipts = new Map<unknown, Receipt>();

  constructor(where: "local" | "remote") {
    this.#late = new LateCancellations(where);
  }

  note(requestId: RequestId, receipt: Receipt): void {
    this.#receipts.delete(requestId);
    this.#receipts.set(requestId, receipt);
    const [oldest] = this.#receipts.keys();
    if (this.#receipts.size > limits.maxReceipts) this.#receipts.delete(oldest);
  }

  /** To be waited for before a response is sent; what it gives is called afterwards. */
  sending(message: unknown, isOpen: () => boolean): Promise<(() => void) | undefined> | undefined {
    const receipt = isJsonObject(message) ? this.#receipts.get(message.id) : undefined;
    if (receipt !== undefined && isCompletedResponse(message, receipt)) return beforeSent(receipt, isOpen);
    return undefined;
  }

  /** A message of the client may cancel a request whose response it has. */
  received(message: unknown): void {
    this.#receipts.get(cancelledId(message))?.withdraw(this.#late);
  }
}

/** Hears callers once more before a response goes out; gives what to call when the connection accepted it. */
export async function beforeSent(receipt: Receipt, isOpen: () => boolean): Promise<(() => void) | undefined> {
  await hearCallers();
  receipt.sending();
  return isOpen() ? receipt.sent : undefined;
}

function watch(server: ConnectedServer, transport: object, where: "local" | "remote"): TakesReceipts {
  const receipts = new ConnectionReceipts(where);
  const isOpen = () => server.transport === transport;
  watchTransport(
    transport,
    (message) => receipts.sending(message, isOpen),
    (message) => receipts.received(message),
  );
  return Object.assign(transport, {
    [takesReceipts]: (requestId: RequestId, receipt: Receipt) => receipts.note(requestId, receipt),
  });
}

/** The id of the request that a message cancels. */
export function cancelledId(message: unknown): RequestId | undefined {
  if (!isJsonObject(message) || message.method !== "notifications/cancelled") return undefined;
  const id = isJsonObject(message.params) ? message.params.requestId : undefined;
  return isRequestId(id) ? id : undefined;
}

/**
 * Carries out a supervisor's `deliveryMethod` request, and gives the response: it says that this is noted.
 *
 * An unknown task is answered like any other. Supervisor and host are the one local user, to whom every task belongs.
 */
export async function noteDelivery(engine: Engine, message: unknown): Promise<JsonObject> {
  const { id = null, params }: JsonObject = isJsonObject(message) ? message : {};
  const { taskId, delivered }: JsonObject = isJsonObject(params) ? params : {};
  try {
    const task = typeof taskId === "string" ? await engine.readTask(taskId) : undefined;
    if (task !== undefined) await note(engine, task.record, delivered === true);
  } catch (error) {
    // Its time to live may end meanwhile.
    if (isResumableError(error, "TASK_NOT_FOUND")) return { jsonrpc: "2.0", id, result: {} };
    const text = "The server could not record whether it delivered a result. The same call gets the result again.";
    return rpcErrorResponse(id, rpcCodes.internalError, text);
  }
  return { jsonrpc: "2.0", id, result: {} };
}

async function note(engine: Engine, { id, owner }: { id: string; owner: string }, delivered: boolean): Promise<void> {
  const tasks = engine.forOwner(owner);
  if (!delivered) return tasks.withdrawDelivered(id);
  engine.observe("result.sent", id);
  await tasks.markDelivered(id);
  engine.observe("result.delivered", id);
}
