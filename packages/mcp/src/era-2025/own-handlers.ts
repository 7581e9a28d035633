import { findHandler, type Handler, setHandler } from "../sdk-workarounds.js";
import type { RequestExtra } from "./server-2025.js";

type Handler2025 = Handler<RequestExtra>;

/** What a server had itself in the place of a handler of ours. */
const originals = new WeakMap<object, { readonly handler: Handler2025 | undefined }>();

/** Puts a handler of ours in the place of what a low-level server of the SDK has for a method. */
export function setOwnHandler(low: object, method: string, handler: Handler2025): void {
  originals.set(handler, { handler: findHandler<RequestExtra>(low, method) });
  setHandler(low, method, handler);
}

/** The handler that a low-level server has for a method, where it is none of ours; else the one in whose place that is. */
export function originalHandler(low: object, method: string): Handler2025 | undefined {
  const handler = findHandler<RequestExtra>(low, method);
  const own = handler && originals.get(handler);
  return own === undefined ? handler : own.handler;
}
