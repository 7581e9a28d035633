import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll } from "vitest";

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** Registers an SDK that keeps what it is given in memory, for the whole test file. */
export function recordTelemetry() {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const reader = new Reader();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  afterAll(() => {
    for (const api of [context, trace, metrics]) api.disable();
  });
  return {
    reset: () => exporter.reset(),
    /** The spans that have ended, in the order of their ends. */
    spans: () => exporter.getFinishedSpans(),
    span(name: string) {
      const found = exporter.getFinishedSpans().find((span) => span.name === name);
      if (found === undefined)
        throw new Error(`No span ${name}: ${exporter.getFinishedSpans().map((span) => span.name)}`);
      return found;
    },
    /** The attributes of each series of a metric. */
    async series(metric: string) {
      const { resourceMetrics } = await reader.collect();
      const found = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      return found
        .filter(({ descriptor }) => descriptor.name === metric)
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ attributes, value })));
    },
  };
}
