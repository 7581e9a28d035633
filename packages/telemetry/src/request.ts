import {
  type Attributes,
  type Context,
  context,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { TraceContext } from "@resumable-mcp/core/engine";
import { attributes, other, toolError } from "./conventions.js";
import { instruments } from "./instruments.js";
import { registeredTracer, remoteContext, toSpanContext, toTraceContext } from "./span-context.js";

/** One request, as traces and metrics show it. */
export interface RequestFacts {
  /** A method that the server serves, or that the client calls; never what a caller made up. */
  readonly method: string;
  /** The tool that a definition names; `undefined` for any other name. */
  readonly tool?: string | undefined;
  readonly requestId?: string | number | undefined;
  /** How the request travels. */
  readonly transport?: "pipe" | "tcp" | undefined;
}

/** A request with what its sender says of its trace. */
export interface ServedRequest extends RequestFacts {
  /** What `params._meta` says. */
  readonly trace?: TraceContext | undefined;
  /** What the headers of the HTTP request say. */
  readonly httpTrace?: TraceContext | undefined;
}

/** Why a request failed, or that it did not. */
export interface RequestEnd {
  /** `tool_error`, the code of a JSON-RPC error, or a word of few. */
  readonly errorType?: string | undefined;
  /** Set for JSON-RPC errors. */
  readonly code?: number | undefined;
}

/**
 * Runs the handler of a request inside a server span, and measures it. Does nothing but run it where no SDK is registered.
 *
 * The context in `_meta` is the parent, and the active one is linked; without it the active one is the parent, or else that of the
 * HTTP headers. Source: OpenTelemetry, "Model Context Protocol (MCP)", Context propagation.
 *
 * @param endOf tells of a result how the request ended.
 */
export async function serveRequest<Result>(
  request: ServedRequest,
  run: () => Promise<Result>,
  endOf: (result: Result) => RequestEnd,
): Promise<Result> {
  const tracer = registeredTracer();
  const measured = instruments();
  if (tracer === undefined && measured === undefined) return run();
  const beginMs = performance.now();
  const traced = tracer && beginSpan(tracer, request);
  const finish = (end: RequestEnd): void => {
    endSpan(traced?.span, end);
    measured?.serverOperation.record((performance.now() - beginMs) / 1_000, metricAttributes(request, end));
  };
  try {
    const result = await (traced === undefined ? run() : context.with(traced.place, run));
    finish(endOf(result));
    return result;
  } catch (error) {
    finish(endOfError(error));
    throw error;
  }
}

function beginSpan(tracer: Tracer, request: ServedRequest): { readonly span: Span; readonly place: Context } {
  const { parent, links } = placeOf(request);
  const options = { kind: SpanKind.SERVER, attributes: spanAttributes(request), links };
  const span = tracer.startSpan(spanName(request), options, parent);
  return { span, place: trace.setSpan(parent, span) };
}

function placeOf({ trace: sent, httpTrace }: ServedRequest): { readonly parent: Context; readonly links: Link[] } {
  const active = context.active();
  const ambient = trace.getSpanContext(active) ?? (httpTrace && toSpanContext(httpTrace));
  if (sent !== undefined) {
    const isOther = ambient !== undefined && ambient.traceId !== toSpanContext(sent).traceId;
    return { parent: remoteContext(sent), links: isOther ? [{ context: ambient }] : [] };
  }
  const isActive = trace.getSpanContext(active) !== undefined;
  return { parent: isActive || httpTrace === undefined ? active : remoteContext(httpTrace), links: [] };
}

/** A request that a client has sent. */
export interface SentRequest {
  /** What the request is to carry in `_meta`, where it is traced. */
  readonly trace: TraceContext | undefined;
  /** Tells once how the request ended. */
  end(end: RequestEnd): void;
}

/** Begins a client span, and the measurement of a request. `undefined` where no SDK is registered. */
export function sendRequest(request: RequestFacts): SentRequest | undefined {
  const tracer = registeredTracer();
  const measured = instruments();
  if (tracer === undefined && measured === undefined) return undefined;
  const beginMs = performance.now();
  const options = { kind: SpanKind.CLIENT, attributes: spanAttributes(request) };
  const span = tracer?.startSpan(spanName(request), options);
  return {
    trace: span && toTraceContext(span.spanContext()),
    end(end) {
      endSpan(span, end);
      measured?.clientOperation.record((performance.now() - beginMs) / 1_000, metricAttributes(request, end));
    },
  };
}

/**
 * Runs what calls a tool inside a span of its own, so that the requests of one call are one trace: those that come later too, where
 * they are sent by what `inThisTrace` bound.
 */
export async function traceCall<Result>(tool: string, run: () => Promise<Result>): Promise<Result> {
  const tracer = registeredTracer();
  if (tracer === undefined) return run();
  const options = { kind: SpanKind.INTERNAL, attributes: { [attributes.tool]: tool } };
  return tracer.startActiveSpan(`resumable_mcp.call ${tool}`, options, async (span) => {
    try {
      return await run();
    } catch (error) {
      span.setAttribute(attributes.errorType, errorTypeOf(error)).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function errorTypeOf(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : other;
}

/** Says of a thrown error how its request ended. */
export function endOfError(error: unknown): RequestEnd {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "number" ? endOfCode(code) : { errorType: other };
}

/** Says of a JSON-RPC error how its request ended. Codes outside the range that JSON-RPC reserves count as one. */
export function endOfCode(code: number): RequestEnd {
  const isReserved = Number.isInteger(code) && code >= -32_768 && code <= -32_000;
  return isReserved ? { errorType: String(code), code } : { errorType: other, code };
}

/** Says of the result of a call how its request ended. */
export function endOfResult(result: unknown): RequestEnd {
  const isError = typeof result === "object" && result !== null && "isError" in result && result.isError === true;
  return isError ? { errorType: toolError } : {};
}

/**
 * Notes on the active span which task a request is about, and links the trace of the call that made it.
 *
 * @param joined the request found the task; it did not make it.
 */
export function noteTask(
  task: { readonly id: string; readonly trace?: TraceContext | undefined },
  joined: boolean,
): void {
  const span = trace.getActiveSpan();
  if (span === undefined || !span.isRecording()) return;
  span.setAttributes({ [attributes.taskId]: task.id, [attributes.joined]: joined });
  if (joined && task.trace !== undefined) span.addLink({ context: toSpanContext(task.trace) });
}

function spanName({ method, tool }: RequestFacts): string {
  return tool === undefined ? method : `${method} ${tool}`;
}

function spanAttributes({ method, tool, requestId, transport }: RequestFacts): Attributes {
  return {
    [attributes.method]: method,
    [attributes.tool]: tool,
    [attributes.operation]: tool === undefined ? undefined : "execute_tool",
    [attributes.requestId]: requestId === undefined ? undefined : String(requestId).slice(0, maxRequestIdLength),
    [attributes.transport]: transport,
    [attributes.protocolName]: transport === "tcp" ? "http" : undefined,
  };
}

/** Callers choose it. */
const maxRequestIdLength = 100;

function metricAttributes({ method, tool, transport }: RequestFacts, { errorType }: RequestEnd): Attributes {
  const named: Attributes = { [attributes.method]: method };
  if (tool !== undefined) named[attributes.tool] = tool;
  if (transport !== undefined) named[attributes.transport] = transport;
  if (errorType !== undefined) named[attributes.errorType] = errorType;
  return named;
}

function endSpan(span: Span | undefined, { errorType, code }: RequestEnd): void {
  if (span === undefined) return;
  if (errorType !== undefined) {
    span.setAttribute(attributes.errorType, errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  if (code !== undefined) span.setAttribute(attributes.statusCode, String(code));
  span.end();
}
