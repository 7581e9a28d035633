import type { HttpAnswer, HttpRequest } from "@resumable-mcp/mcp";

/** Levels of the server's own log. */
export type LogLevel = "info" | "warn" | "error";

/** Writes one entry of the server's log. Never carries tokens, inputs or outputs. */
export type Log = (level: LogLevel, message: string, facts?: Record<string, string | number | undefined>) => void;

/** A log of one JSON object a line, free of characters that terminals and programs take for commands or ends of lines. */
export function jsonLog(write: (line: string) => void): Log {
  return (level, message, facts = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...facts });
    write(`${line.replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)}\n`);
  };
}

/** Of the stack of an error, in characters. */
const maxStackLength = 4_000;

/** The stack of whatever was thrown, cut to a line of a log. */
export function stackOf(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? "") : "").slice(0, maxStackLength);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Of the reason that is logged, in characters: it may quote what the caller sent. */
const maxReasonLength = 200;

/**
 * Makes a log that a flood does not make fill a disk.
 *
 * Limits: `perSecond` lines; the next one says how many were left out.
 */
export function limitedLog(log: Log, perSecond: number, nowMs: () => number): Log {
  let second = Number.NaN;
  let logged = 0;
  let leftOut = 0;
  return (level, message, facts) => {
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) logged = 0;
    second = now;
    if (logged >= perSecond) {
      leftOut += 1;
      return;
    }
    logged += 1;
    log(level, message, leftOut === 0 ? facts : { ...facts, leftOut });
    leftOut = 0;
  };
}

/** Makes what logs refused requests, with address and reason. Limits: those of {@link limitedLog}. */
export function createRefusalLog(log: Log, perSecond: number, nowMs: () => number) {
  const limited = limitedLog(log, perSecond, nowMs);
  return ({ method }: HttpRequest, address: string | undefined, answer: HttpAnswer): void => {
    const { status } = answer;
    if (status < 400 || status === 405) return;
    const facts = { method, status, ...(address !== undefined && { address }), reason: reasonOf(answer) };
    limited(status >= 500 ? "error" : "warn", "refused", facts);
  };
}

function reasonOf({ body }: HttpAnswer): string {
  const text = typeof body === "string" ? body : "";
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(text.slice(0, 4_096))?.[1];
  return (message === undefined ? text : String(JSON.parse(message))).trim().slice(0, maxReasonLength);
}
