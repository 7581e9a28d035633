import { readDuration } from "../duration.js";
import { isForCaller, isResumableError, isRetryableError, isTerminalError } from "../errors.js";
import { type EngineLimits, fixedLimits } from "../limits.js";
import { rpcFailureCode, type TaskFailure } from "../task/task-event.js";
import type { RetryPolicy } from "../tool/retry-policy.js";

/** Attempts in all, where an error asks for another one and the tool has no policy. */
const askedAttempts = 3;

/** The toolkit refused something that the tool did: it would do the same again. */
export function isRefusal(error: unknown): boolean {
  return isResumableError(error) && !isResumableError(error, "ATTEMPT_TIMEOUT", "STEP_FAILED", "CHILD_FAILED");
}

/** To do it again would fail again, as the error says, or that of a task that was called. */
function isTerminal(error: unknown): boolean {
  return isTerminalError(isResumableError(error, "CHILD_FAILED") ? error.cause : error);
}

/**
 * Decides whether and when a failed attempt of a tool or step is made again. Pure.
 *
 * The delay is drawn from all up to the one that the policy names: what failed together does not come back together.
 *
 * @param failures attempts that failed before this one.
 * @param random gives a number from 0 on, below 1.
 * @returns the delay in milliseconds, or `undefined` for no further attempt.
 */
export function retryDelay(
  error: unknown,
  failures: number,
  policy: RetryPolicy | undefined,
  random: () => number,
): number | undefined {
  if (isTerminal(error) || isRefusal(error)) return undefined;
  const asked = isRetryableError(error);
  const maxAttempts = policy?.maxAttempts ?? (asked ? askedAttempts : 1);
  if (failures + 1 >= maxAttempts) return undefined;
  // A tool may compute the delay from what a service answered, which may be anything.
  const askedMs = asked ? readDuration(error.delay) : undefined;
  if (askedMs !== undefined && Number.isFinite(askedMs)) return askedMs;
  const { initialDelay, factor = 2, maxDelay } = policy ?? {};
  const longest = (readDuration(initialDelay) ?? 1_000) * Math.min(factor ** failures, Number.MAX_SAFE_INTEGER);
  return Math.round(random() * Math.min(longest, readDuration(maxDelay) ?? 60_000));
}

/** The pause before a failed write is repeated, in milliseconds; `failures` came before this one. Pure. */
export function writeBackoff(
  failures: number,
  { writeBackoffMs, maxWriteBackoffMs }: Pick<EngineLimits, "writeBackoffMs" | "maxWriteBackoffMs">,
): number {
  return Math.min(writeBackoffMs * 2 ** failures, maxWriteBackoffMs);
}

/** Cuts an error down to what a journal keeps: a code and a sentence, never a stack. */
export function toFailure(error: unknown): TaskFailure {
  const message = error instanceof Error ? error.message : describe(error);
  // What the task has committed is of no use, or its journal takes no more: to continue would fail again.
  const terminal = isTerminal(error) || isResumableError(error, "VERSION_MISMATCH", "QUOTA_EXCEEDED");
  return {
    code: isResumableError(error) ? error.code : (rpcFailureCode(error) ?? "TOOL_FAILED"),
    message: message === "" ? "The tool failed without saying why." : message.slice(0, fixedLimits.maxFailureLength),
    ...(terminal && { terminal }),
    ...((isForCaller(error) ||
      (isResumableError(error, "STEP_FAILED", "CHILD_FAILED") && isForCaller(error.cause))) && {
      forCaller: true,
    }),
  };
}

/** What the events of a failure keep of an error: as {@link toFailure}, and where a tool's code threw it. */
export function toThrown(error: unknown): { readonly error: TaskFailure; readonly stack?: string } {
  const failure = toFailure(error);
  const stack = isResumableError(error) ? "" : stackOf(error);
  return stack === "" ? { error: failure } : { error: failure, stack: stack.slice(0, fixedLimits.maxFailureLength) };
}

/** The places alone: what stands before them repeats the message, which may be cut or hidden. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error) || typeof error.stack !== "string") return "";
  const lines = error.stack.split("\n", fixedLimits.maxStackLines * 10).map((line) => line.trim());
  return lines
    .filter((line) => line.startsWith("at ") && !line.includes("node:internal"))
    .slice(0, fixedLimits.maxStackLines)
    .join("\n");
}

/** Anything can be thrown, also what cannot be made a text. */
function describe(thrown: unknown): string {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) return String(thrown.message);
    return String(thrown);
  } catch {
    return "";
  }
}
