import type { Receipt } from "./receipt.js";

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
