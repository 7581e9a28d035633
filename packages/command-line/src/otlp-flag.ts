import { CommandError } from "./command-error.js";

/**
 * Reads the flag that names a collector.
 *
 * @throws {@link CommandError} that says what it takes. The URL is not quoted where it holds a password.
 */
export function readOtlp(value: string | undefined): URL | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.username !== "" || url.password !== "")) {
    throw new CommandError("--otlp takes no user and password. Give them in OTEL_EXPORTER_OTLP_HEADERS.", 2);
  }
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "") return url;
  throw new CommandError(`--otlp wants the base URL of a collector, as http://127.0.0.1:4318, not ${value}.`, 2);
}
