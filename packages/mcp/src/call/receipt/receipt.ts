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
