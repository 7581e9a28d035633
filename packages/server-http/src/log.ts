import type { HttpAnswer, HttpRequest } from "@resumable-mcp/mcp";
import { harmlessJson } from "@resumable-mcp/protocol/display";
import { pino } from "pino";

/** Levels of the server's own log. */
export type ServerLogLevel = "info" | "warn" | "error";

/** From which level on a log is written; `silent`: not at all. */
export const logLevels = ["error", "warn", "info", "silent"] as const;
/** How a log looks: a JSON object a line, or a line for people. */
export const logFormats = ["json", "text"] as const;

/**
 * Writes one entry of the server's log. Never carries tokens, nor inputs and outputs, except for what a tool puts of them into
 * an error that it throws.
 *
 * Limits: 2,000 characters of a message; see `stackOf`.
 */
export type Log = (level: ServerLogLevel, message: string, facts?: Record<string, string | number | undefined>) => void;

/** How a log is written. */
export interface LogOptions {
  /** Default `info`. */
  readonly level?: (typeof logLevels)[number];
  /** Default `json`. */
  readonly format?: (typeof logFormats)[number];
  readonly write: (line: string) => void;
}

/** A log of one entry a line, free of characters that terminals and programs take for commands or ends of lines. */
export function createLog({ level = "info", format = "json", write }: LogOptions): Log {
  const options = { ...lineOptions, level, formatters: { level: (label: string) => ({ level: label }) } };
  const show = format === "json" ? harmlessJson : textLine;
  const logger = pino(options, { write: (line) => write(show(line)) });
  return (of, message, facts = {}) => logger[of](facts, message.slice(0, maxMessageLength));
}

/** Of a message, in characters: that of a tool's error may quote all of its input. */
const maxMessageLength = 2_000;

/** What all lines of this server have in common, as pino takes it. */
export const lineOptions = {
  base: undefined,
  messageKey: "message",
  timestamp: pino.stdTimeFunctions.isoTime,
} as const;

/** `2026-11-23T08:36:30.988Z WARN refused status=401 reason="…"`. */
function textLine(line: string): string {
  const { time, level, message, ...facts }: Record<string, unknown> = JSON.parse(line);
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  // A message may quote what a caller sent: within JSON no character is a command or the end of a line.
  const text = JSON.stringify(message).slice(1, -1);
  return harmlessJson(`${[time, String(level).toUpperCase(), text, ...shown].join(" ")}\n`);
}

/** Of the stack of an error, in characters. */
const maxStackLength = 4_000;

/** The stack of whatever was thrown, cut to a line of a log; nothing where it has none. */
export function readStack(error: unknown): string {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  return typeof stack === "string" ? stack.slice(0, maxStackLength) : "";
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
    // 499: the caller has left. Nothing was refused.
    if (status < 400 || status === 405 || status === 499) return;
    const facts = { method, status, ...(address !== undefined && { address }), reason: reasonOf(answer) };
    limited(status >= 500 ? "error" : "warn", "refused", facts);
  };
}

function reasonOf({ body }: HttpAnswer): string {
  const text = typeof body === "string" ? body : "";
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(text.slice(0, 4_096))?.[1];
  return (message === undefined ? text : String(JSON.parse(message))).trim().slice(0, maxReasonLength);
}
