import {
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { parseTraceContext, type TraceContext } from "@resumable-mcp/core/engine";
import { scopeName } from "./conventions.js";

/** The tracer of the SDK that is registered, or `undefined` where none is: then nothing is traced, and nothing is paid for. */
export function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  // The API's own provider passes on to the registered one; it may be that of another copy of the API.
  if (!("getDelegateTracer" in provider)) return provider.getTracer(scopeName);
  const { getDelegateTracer } = provider;
  return typeof getDelegateTracer === "function" ? getDelegateTracer.call(provider, scopeName) : undefined;
}

/** Whether spans are made in this process. */
export function isTracing(): boolean {
  return registeredTracer() !== undefined;
}

/** The place in a trace that a request or a task names. Source: W3C Trace Context, section 3.2. */
export function toSpanContext({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  const traceState = tracestate === undefined ? undefined : createTraceState(tracestate);
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), traceState, isRemote: true };
}

/** The same as the wire and the journal have it. */
export function toTraceContext(spanContext: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(spanContext)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = spanContext;
  const flags = traceFlags.toString(16).padStart(2, "0");
  return parseTraceContext({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() });
}

/** The trace that the code belongs to which asks, where one is active. */
export function activeTrace(): TraceContext | undefined {
  const active = trace.getSpanContext(context.active());
  return active && toTraceContext(active);
}

/** A context in which new spans are children of a remote one. */
export function remoteContext(given: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext(given));
}

/** Keeps the trace that the code belongs to which asks now, for a function that is called at another time. */
export function inThisTrace<Parameters extends unknown[], Result>(
  run: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  return context.bind(context.active(), run);
}
