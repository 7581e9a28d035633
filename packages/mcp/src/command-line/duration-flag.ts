import { parseDuration } from "@resumable-mcp/core";
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
