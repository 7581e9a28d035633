import type { LogLevel } from "@resumable-mcp/core";

/** The levels of log messages, the least severe first. Source: MCP, Utilities, "Logging" ("Log Levels"). */
export const logLevels: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Tells whether a value is the name of a level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

/** Tells whether a message of `level` is at least as severe as `least`; an unknown level is below all others. */
export function isAtLeast(level: string, least: string): boolean {
  const names: readonly string[] = logLevels;
  return names.indexOf(level) >= names.indexOf(least);
}
