import { parseDuration, type RecoveryCounts } from "@resumable-mcp/core/engine";
import { CommandError } from "./command-error.js";

/** What a flag takes, in milliseconds. */
export interface DurationRange {
  /** Default 1. */
  readonly minMs?: number;
  /** Default: any. */
  readonly maxMs?: number;
  /** Words that it also takes, which the caller reads itself. */
  readonly words?: readonly string[];
}

/**
 * Parses a flag that holds a time, such as `500ms`, `7.5s` or `30d`, into milliseconds.
 *
 * @throws {@link CommandError} that names the flag and what it takes.
 */
export function durationOf(
  flag: string,
  text: string | undefined,
  { minMs = 1, maxMs = Number.MAX_SAFE_INTEGER, words = [] }: DurationRange = {},
): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds >= minMs && milliseconds <= maxMs) return milliseconds;
  const allowed = `${words.length === 0 ? "" : `${words.join(", ")}, or `}a time such as 500ms, 7.5s, 10m, 12h or 30d`;
  const limit = maxMs === Number.MAX_SAFE_INTEGER ? "" : `, of at most ${maxMs / 1_000} s`;
  throw new CommandError(`--${flag} must be ${allowed}${limit}, not ${JSON.stringify(text)}.`, 2);
}

/** How the flag is used. */
export const recoverAfterUsage = `  --recover-after TIME   how long a task waits for its caller after the server died, before it resumes alone:
                         now, never, or a time such as 500ms, 30s, 5m or 1h (30s)`;

/** @throws {@link CommandError} that says what the flag takes. */
export function readRecoverAfter(text: string | undefined): { readonly recoverAfterMs?: number } {
  if (text === "now") return { recoverAfterMs: 0 };
  if (text === "never") return { recoverAfterMs: Number.POSITIVE_INFINITY };
  const recoverAfterMs = durationOf("recover-after", text, { minMs: 0, words: ["now", "never"] });
  return recoverAfterMs === undefined ? {} : { recoverAfterMs };
}

/** One line about what becomes of the unfinished tasks of a server that starts. */
export function recoverySentence({ now, later, onRequest, more }: RecoveryCounts, recoverAfterMs: number): string {
  const parts = [
    ...(now > 0 ? [`${now} resume now`] : []),
    ...(later > 0 ? [`${later} when a caller returns, or after ${recoverAfterMs / 1_000} s`] : []),
    ...(onRequest > 0 ? [`${onRequest} only on request`] : []),
    ...(more ? ["more were not counted"] : []),
  ];
  return `unfinished tasks: ${parts.length === 0 ? "none" : parts.join(", ")}`;
}
