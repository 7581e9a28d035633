import { context, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, expect, it } from "vitest";
import { useFakeWorld } from "./fake-world.js";

const world = useFakeWorld();
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  exporter.reset();
});
afterAll(async () => {
  for (const api of [context, trace]) api.disable();
  await provider.shutdown();
});

interface SentBody {
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly _meta?: { readonly traceparent?: string } };
}

/** The `traceparent` of each request, by its tool. */
function traceparents(): Map<string, string | undefined> {
  const seen = new Map<string, string | undefined>();
  world().server.onRequest = ({ method, params }: SentBody) => {
    if (method === "tools/call") seen.set(params?.name ?? "", params?._meta?.traceparent);
    return undefined;
  };
  return seen;
}

it("sends the trace of a call with all of its requests, also with those that come after it was begun", async () => {
  const seen = traceparents();
  const client = await world().open();
  const call = await client.call("count", { n: 1 });
  const task = await world().tasks.started();
  const result = call.result();
  task.complete({ counted: 1 });
  await result;
  const spans = exporter.getFinishedSpans();
  const whole = spans.find(({ name }) => name === "resumable_mcp.call count");
  const { traceId, spanId } = whole?.spanContext() ?? { traceId: "", spanId: "" };
  const sent = ["count", "wait_for_task"].map((tool) => spans.find(({ name }) => name === `tools/call ${tool}`));
  expect(sent.map((span) => span?.parentSpanContext?.spanId)).toEqual([spanId, spanId]);
  expect(sent.map((span) => span?.kind)).toEqual([SpanKind.CLIENT, SpanKind.CLIENT]);
  expect([...seen]).toEqual(
    ["count", "wait_for_task"].map((tool, index) => [tool, `00-${traceId}-${sent[index]?.spanContext().spanId}-01`]),
  );
});

it("continues the trace of the program that calls, and says why a call failed", async () => {
  const client = await world().open();
  const program = trace.getTracer("program").startSpan("program");
  const wrong = context.with(trace.setSpan(context.active(), program), () => client.call("no_such_tool", {}));
  await expect(wrong).rejects.toThrow("No tool is named");
  const spans = exporter.getFinishedSpans();
  const failed = spans.find(({ name }) => name === "resumable_mcp.call no_such_tool");
  expect(failed?.parentSpanContext?.spanId).toBe(program.spanContext().spanId);
  expect(failed?.attributes["error.type"]).toBe("UNKNOWN_TOOL");
  const { traceId } = program.spanContext();
  expect(spans.find(({ name }) => name === "tools/list")?.spanContext().traceId).toBe(traceId);
});

it("sends no trace and makes no span where no SDK is registered", async () => {
  trace.disable();
  const seen = traceparents();
  const client = await world().open();
  await client.call("count", { n: 1 });
  expect([...seen]).toEqual([["count", undefined]]);
  expect(exporter.getFinishedSpans()).toEqual([]);
});
