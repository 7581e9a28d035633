import { isResumableError, isRetryableError, isTerminalError } from "../errors.js";
import { rpcFailureCode } from "../rpc-failure.js";
import type { TaskFailure } from "../task-event.js";
import type { RetryPolicy } from "../tool.js";

/**
 * Decides whether and when a failed attempt is made again. Pure.
 *
 * @param failures attempts that failed before this one, since the last progress.
 * @returns the delay in milliseconds, or `undefined` for no further attempt.
 */
export function retryDelay(error: unknown, failures: number, policy: RetryPolicy | undefined): number | undefined {
  if (isTerminalError(error)) return undefined;
  if (isResumableError(error) && error.code !== "ATTEMPT_TIMEOUT") return undefined;
  const asked = isRetryableError(error);
  const maxAttempts = policy?.maxAttempts ?? (asked ? 3 : 1);
  if (failures + 1 >= maxAttempts) return undefined;
  if (asked && error.delayMs !== undefined) return error.delayMs;
  const delay = (policy?.initialDelayMs ?? 1_000) * (policy?.factor ?? 2) ** failures;
  return Math.min(delay, policy?.maxDelayMs ?? 60_000);
}

/** Cuts an error down to what a journal keeps: a code and a sentence, never a stack. */
export function failureOf(error: unknown): TaskFailure {
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: isResumableError(error) ? error.code : (rpcFailureCode(error) ?? "TOOL_FAILED"),
    message: message === "" ? "The tool failed without saying why." : message.slice(0, 2_000),
  };
}
