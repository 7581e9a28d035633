import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { exportLimits } from "./limits.js";

/** Where spans and metrics go, and whose they are. */
export interface ExportOptions {
  /** `service.name`, unless `OTEL_SERVICE_NAME` says otherwise. */
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** The base URL of a collector: spans go to `v1/traces` and metrics to `v1/metrics` below it. Default: nowhere. */
  readonly otlp?: URL | undefined;
  /** Gives the metrics as text when they are asked for. Default false. */
  readonly prometheus?: boolean;
  /** Hears, in one sentence, why something does not reach the collector: at most once a minute. */
  readonly onProblem: (sentence: string) => void;
}

/** What exports spans and metrics. */
export interface TelemetryExport {
  /** Gives all metrics in Prometheus' text format. Absent where it was not asked for, or another SDK has the metrics. */
  readonly metricsText?: (() => Promise<string>) | undefined;
  /** Sends what waits, within 2 s, and makes room for another SDK in this process. Safe to repeat; never rejects. */
  shutdown(): Promise<void>;
}

/**
 * Registers the SDK of OpenTelemetry in this process: metrics always, spans where there is a collector. An SDK that a program has
 * registered before keeps what it has.
 *
 * Limits: `exportLimits`. A collector that is away or hangs delays nothing but the end of the process, by 2 s.
 * Source: OTLP 1.x over HTTP, binary; `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`,
 * `OTEL_EXPORTER_OTLP_CERTIFICATE` and `OTEL_TRACES_SAMPLER` of the environment count.
 */
export function startExport(options: ExportOptions): TelemetryExport {
  const { otlp, prometheus = false, onProblem } = options;
  reportProblems(onProblem);
  const resource = resourceOf(options);
  const scraped = prometheus ? new PrometheusExporter({ preventServerStart: true }) : undefined;
  const pushed = otlp && metricReader(otlp);
  const meterProvider = new MeterProvider({
    resource,
    readers: [scraped, pushed].filter((reader) => reader !== undefined),
  });
  const hasMetrics = metrics.setGlobalMeterProvider(meterProvider);
  const tracerProvider = otlp && registerTracing(otlp, resource);
  if (otlp !== undefined && !(hasMetrics && tracerProvider !== undefined)) {
    onProblem(
      "This program has registered an SDK of OpenTelemetry already: --otlp gets only what that one does not take.",
    );
  }
  // Once: a second shutdown of the SDK rejects as the first one did, where nothing listens any more.
  const endAll = () =>
    Promise.allSettled([
      tracerProvider?.shutdown(),
      meterProvider.shutdown({ timeoutMillis: exportLimits.flushTimeoutMs }),
    ]);
  let ended: Promise<void> | undefined;
  return {
    metricsText: hasMetrics && scraped !== undefined ? textOf(scraped) : undefined,
    shutdown() {
      ended ??= within(exportLimits.flushTimeoutMs, endAll()).finally(() => {
        if (hasMetrics) metrics.disable();
        if (tracerProvider !== undefined) for (const api of [trace, context, propagation]) api.disable();
      });
      return ended;
    },
  };
}

function resourceOf({ serviceName, serviceVersion }: ExportOptions): Resource {
  const own = resourceFromAttributes({
    "service.name": serviceName,
    "service.version": serviceVersion,
    // It differs between replicas of one service.
    "service.instance.id": crypto.randomUUID(),
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

function metricReader(otlp: URL): PeriodicExportingMetricReader {
  const { exportTimeoutMs: timeoutMillis, metricsEveryMs } = exportLimits;
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: below(otlp, "v1/metrics"), timeoutMillis }),
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: timeoutMillis,
  });
}

function registerTracing(otlp: URL, resource: Resource): BasicTracerProvider | undefined {
  const { exportTimeoutMs: timeoutMillis, maxQueuedSpans, maxSpansPerExport, spanDelayMs } = exportLimits;
  const exporter = new OTLPTraceExporter({ url: below(otlp, "v1/traces"), timeoutMillis });
  const processor = new BatchSpanProcessor(exporter, {
    exportTimeoutMillis: timeoutMillis,
    maxQueueSize: maxQueuedSpans,
    maxExportBatchSize: maxSpansPerExport,
    scheduledDelayMillis: spanDelayMs,
  });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  if (!trace.setGlobalTracerProvider(provider)) return undefined;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return provider;
}

function below(base: URL, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url.href;
}

function textOf(exporter: PrometheusExporter): () => Promise<string> {
  // Neither a prefix nor timestamps; the scope is the same for all of ours.
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  let collecting: Promise<string> | undefined;
  const collect = async (): Promise<string> => {
    const { resourceMetrics } = await exporter.collect({ timeoutMillis: exportLimits.collectTimeoutMs });
    return serializer.serialize(resourceMetrics);
  };
  // All who ask meanwhile share one.
  return () => {
    collecting ??= collect().finally(() => {
      collecting = undefined;
    });
    return collecting;
  };
}

function reportProblems(onProblem: (sentence: string) => void): void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((exception) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < exportLimits.problemEveryMs) return;
    reportedMs = nowMs;
    const why = exception instanceof Error ? exception.message : String(exception);
    onProblem(`Telemetry does not reach the collector (${why.slice(0, 200)}). Tasks are not affected; check --otlp.`);
  });
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
