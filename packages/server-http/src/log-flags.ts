import { CommandError, oneOf } from "@resumable-mcp/mcp/command-line";
import { type AuditLog, createAuditLog, openAuditFile } from "./audit-log.js";
import { httpLimits } from "./http-limits.js";
import { createLog, type Log, logFormats, logLevels } from "./log.js";

/** The flags of what a server writes down. */
export const logFlags = {
  "log-level": { type: "string" },
  "log-format": { type: "string" },
  "audit-log": { type: "string" },
} as const;

/** How they are used. */
export const logUsage = `  --log-level LEVEL      error, warn, info or silent (info)
  --log-format FORMAT    of the log on standard error: json, or text for people (json)
  --audit-log FILE       a line for each request: who, from where, what, its outcome; - is standard output. The file
                         is opened again on SIGHUP`;

/** What a server writes down, and where. */
export interface Logs {
  readonly log: Log;
  readonly audit: AuditLog | undefined;
  /** Opens the files again, after they were moved away. */
  reopen(): void;
}

/** @throws {@link CommandError} that names the flag and what it takes. */
export function readLogs(flags: {
  readonly "log-level"?: string | undefined;
  readonly "log-format"?: string | undefined;
  readonly "audit-log"?: string | undefined;
}): Logs {
  const level = oneOf("log-level", flags["log-level"] ?? "info", logLevels);
  const format = oneOf("log-format", flags["log-format"] ?? "json", logFormats);
  const log = createLog({ level, format, write: (line) => process.stderr.write(line) });
  const place = flags["audit-log"];
  if (place === undefined) return { log, audit: undefined, reopen: () => {} };
  if (place === "") throw new CommandError("--audit-log needs a file, or - for standard output.", 2);
  const file = openAuditFile(place, (error) => log("error", `The audit log cannot be written: ${error.message}`));
  const nowMs = () => performance.now();
  const audit = createAuditLog(file.write, { perSecond: httpLimits.refusalsLoggedPerSecond, nowMs });
  return { log, audit, reopen: file.reopen };
}
