import { isResumableError } from "@resumable-mcp/core";

/**
 * After which time a question is shown again whose answer may have been lost, or could not be stored, in milliseconds.
 * Sooner would bother users who are still thinking, or whose disk is still full.
 */
export const askAgainMs = 30_000;

/** Tells whether an answer was not stored because the store could not write, so that its question is still open. */
export function isAnswerLost(error: unknown): boolean {
  return isResumableError(error, "STORE_WRITE_FAILED");
}

/** Resolves when the question is to be shown again, or when there is no caller to show it to. */
export function untilAskedAgain(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : askAgainMs);
    signal.addEventListener("abort", done);
  });
}
