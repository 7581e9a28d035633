import { parseDuration } from "@resumable-mcp/core/engine";
import { CommandError } from "../command-error.js";

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
 * @throws {@link CommandError} with the flag's name, as it is shown, and what it takes.
 */
export function readDuration(
  shownFlag: string,
  text: string,
  { minMs = 1, maxMs = Number.MAX_SAFE_INTEGER, words = [] }: DurationRange = {},
): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds >= minMs && milliseconds <= maxMs) return milliseconds;
  const allowed = `${words.length === 0 ? "" : `${words.join(", ")}, or `}a time such as 500ms, 7.5s, 10m, 12h or 30d`;
  const limit = maxMs === Number.MAX_SAFE_INTEGER ? "" : `, of at most ${maxMs / 1_000} s`;
  throw new CommandError(`${shownFlag} must be ${allowed}${limit}, not ${JSON.stringify(text)}.`, 2);
}
