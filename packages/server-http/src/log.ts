/** Levels of the server's own log. */
export type LogLevel = "info" | "warn" | "error";

/** Writes one entry of the server's log. Never carries tokens, inputs or outputs. */
export type Log = (level: LogLevel, message: string, facts?: Record<string, string | number>) => void;

/** A log of one JSON object a line. */
export function jsonLog(write: (line: string) => void): Log {
  return (level, message, facts = {}) => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...facts })}\n`);
  };
}
