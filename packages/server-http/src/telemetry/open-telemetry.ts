import { type HttpValues, readOtlp } from "@resumable-mcp/command-line";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { openTokenFile } from "../auth/token-file.js";
import type { Log } from "../log.js";
import type { MetricsSource } from "./metrics-endpoint.js";

/** What a server's command line says of traces and metrics, carried out. */
export interface OpenTelemetry {
  readonly metrics: MetricsSource | undefined;
  /** Sends what waits; never rejects. */
  shutdown(): Promise<void>;
}

/**
 * Registers the SDK of OpenTelemetry: before the engine begins, since what is counted before is not counted at all.
 *
 * @throws {@link CommandError} for a URL or a file that cannot be used.
 */
export async function openTelemetry(
  values: Pick<HttpValues, "otlp" | "metrics-token-file">,
  { name: serviceName, version: serviceVersion }: Pick<ServerDefinition, "name" | "version">,
  log: Log,
): Promise<OpenTelemetry> {
  const otlp = readOtlp(values.otlp);
  const file = values["metrics-token-file"];
  const onWarning = (message: string) => log("warn", message);
  const tokens = file === undefined ? undefined : await openTokenFile(file, { onWarning });
  const { startExport } = await import("@resumable-mcp/telemetry/export");
  const { metricsText, shutdown } = startExport({
    serviceName,
    serviceVersion,
    otlp,
    prometheus: true,
    onProblem: onWarning,
  });
  const metrics = metricsText && { text: metricsText, verifyToken: tokens?.verifyToken };
  return { metrics, shutdown };
}
