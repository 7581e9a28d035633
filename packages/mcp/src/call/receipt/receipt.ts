import { setImmediate as nextTurn } from "node:timers/promises";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import type { Call } from "../call.js";

/** A task's result on its way to a caller. */
export interface Receipt {
  /** The response is about to be written. */
  sending(): void;
  /** A connection that was open accepted the last byte: the result counts as delivered. */
  sent(): void;
  /** The caller gave its request up: the result does not count as delivered, even if it was sent before. */
  withdraw(): void;
}

/** Named points between the end of a task and the note that its result was delivered, in their order. */
export const resultPoints = ["result.ready", "result.sending", "result.sent", "result.delivered"] as const;

/**
 * Makes the receipt of one response that carries a task's result.
 *
 * Durability: what cannot be noted counts as not delivered; the same call gets the result once more.
 * @param isReported the supervisor in front says itself what became of the result: nothing is noted here.
 */
export function createReceipt(
  { engine, tasks }: Pick<Call, "engine" | "tasks">,
  taskId: string,
  isReported: boolean,
): Receipt {
  let state: "open" | "sent" | "withdrawn" = isReported ? "withdrawn" : "open";
  const observe = (point: (typeof resultPoints)[number]): void => engine.observe(point, taskId);
  observe("result.ready");
  return {
    sending: () => observe("result.sending"),
    sent() {
      if (state !== "open") return;
      state = "sent";
      observe("result.sent");
      tasks.markDelivered(taskId).then(
        () => observe("result.delivered"),
        () => {},
      );
    },
    withdraw() {
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

const held = new WeakMap<object, Receipt>();

/**
 * Holds a receipt back when its response was handed to the SDK's transport of an HTTP request, which does not know when
 * the connection accepts it. Who sends the answer does, and calls {@link answerSent}.
 */
export function holdReceipt(request: object, receipt: Receipt): Receipt {
  return { ...receipt, sent: () => void held.set(request, receipt) };
}

/** The connection accepted the last byte of the answer to a request. */
export function answerSent(request: object): void {
  held.get(request)?.sent();
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
    const text = "The server could not note whether a result was delivered. The same call gets it once more.";
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
