import type { RecoveryCounts } from "@resumable-mcp/core";
import { durationOf } from "./duration-flag.js";

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
