import { CommandError, oneOf, sentenceOf } from "@resumable-mcp/command-line";
import { type AuditFile, type AuditLog, createAuditLog, openAuditFile } from "./audit-log.js";
import { httpLimits } from "./http-limits.js";
import { createLog, type Log, limitedLog, logFormats, logLevels } from "./log.js";

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
  /** Opens the file again, after it was moved away. Absent where there is none. */
  readonly reopen: (() => void) | undefined;
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
  if (place === undefined) return { log, audit: undefined, reopen: undefined };
  if (place === "") throw new CommandError("--audit-log needs a file, or - for standard output.", 2);
  const nowMs = () => performance.now();
  const limited = limitedLog(log, httpLimits.refusalsLoggedPerSecond, nowMs);
  const onError = (error: Error) => limited("error", `The audit log cannot be written: ${error.message}`);
  const file = openFile(place, onError);
  const audit = createAuditLog(file.write, { perSecond: httpLimits.refusalsLoggedPerSecond, nowMs });
  return { log, audit, reopen: place === "-" ? undefined : file.reopen };
}

function openFile(place: string, onError: (error: Error) => void): AuditFile {
  try {
    return openAuditFile(place, onError);
  } catch (error) {
    throw new CommandError(`--audit-log cannot be opened: ${sentenceOf(error)}. Give a file in a folder that exists.`);
  }
}
