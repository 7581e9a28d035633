import { CommandError, errorSentence, type HttpValues, oneOf } from "@resumable-mcp/command-line";
import { type AuditFile, type AuditLog, createAuditLog, openAuditFile } from "./audit-log.js";
import { httpLimits } from "./http-limits.js";
import { createLog, type Log, limitedLog, logFormats, logLevels } from "./log.js";

/** What a server writes down, and where. */
export interface Logs {
  readonly log: Log;
  readonly audit: AuditLog | undefined;
  /** Opens the file again, after it was moved away. Absent where there is none. */
  readonly reopen: (() => void) | undefined;
}

/** @throws {@link CommandError} that names the flag and what it takes. */
export function readLogs(flags: Pick<HttpValues, "log-level" | "log-format" | "audit-log">): Logs {
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
    throw new CommandError(
      `--audit-log cannot be opened: ${errorSentence(error)}. Give a file in a folder that exists.`,
    );
  }
}
