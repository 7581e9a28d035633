import type { TraceContext } from "./task-event.js";

/** Of a `tracestate`: its characters, and its entries. Source: W3C Trace Context, sections 3.3.1.1 and 3.3.1.5. */
const maxStateLength = 512;
const maxStateEntries = 32;

const parent = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})/;
const lengthOfVersion00 = 55;
const printable = /^[\x20-\x7e]+$/;

/**
 * Reads a trace as callers send it, or `undefined` where there is none that counts. Pure.
 *
 * Limits: 55 characters of `traceparent`, in the form of version 00; a `tracestate` above 512 characters or 32 entries is left out.
 * Source: W3C Trace Context, sections 3.2 and 3.3.
 */
export function parseTraceContext(given: { readonly [name: string]: unknown }): TraceContext | undefined {
  const { traceparent, tracestate } = given;
  if (typeof traceparent !== "string" || traceparent.length > 4 * lengthOfVersion00) return undefined;
  const rest = parent.exec(traceparent)?.[1];
  if (rest === undefined) return undefined;
  // Later versions may append fields, each after a dash.
  const isWhole = traceparent.length === lengthOfVersion00;
  if (!isWhole && (traceparent.startsWith("00") || traceparent[lengthOfVersion00] !== "-")) return undefined;
  return isState(tracestate) ? { traceparent: `00-${rest}`, tracestate } : { traceparent: `00-${rest}` };
}

function isState(given: unknown): given is string {
  if (typeof given !== "string" || given.length > maxStateLength || !printable.test(given)) return false;
  return given.split(",").length <= maxStateEntries;
}
