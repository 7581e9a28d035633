import { invalidValue, isTerminalError, ResumableError, TerminalError, ToolError } from "../../errors.js";
import type { TaskFailure } from "../../task/task-event.js";
import { unknownKeys } from "../../tool/known-keys.js";
import { retryProblems } from "../../tool/retry-policy.js";
import type { StepAttempt, StepOptions } from "../../tool/tool.js";
import { durationMs } from "../clock.js";
import type { AttemptParts } from "./attempt-parts.js";

const known: ReadonlySet<string> = new Set(
  Object.keys({ retry: true, timeout: true } satisfies Record<keyof StepOptions, true>),
);

/** @throws {@link ResumableError} `INVALID_VALUE`. */
export function checkStepOptions(key: string, options: StepOptions): void {
  const { retry, timeout } = options;
  const what = `The options of step ${JSON.stringify(key)}`;
  const problems = [...unknownKeys(options, known, "step"), ...(retry === undefined ? [] : retryProblems(retry))];
  if (timeout !== undefined && durationMs(`The timeout of step ${JSON.stringify(key)}`, timeout) === 0)
    problems.push("timeout must be more than 0");
  if (problems.length > 0) throw invalidValue(what, problems);
}

/** An attempt that failed. */
export interface FailedStep {
  readonly attempt: number;
  /** When the next one begins; absent: none does. */
  readonly until?: string;
}

/** One attempt of a step: which one, and how it is run. */
interface StepRun {
  readonly key: string;
  readonly attempt: number;
  readonly run: (attempt: StepAttempt) => unknown;
  readonly timeout: StepOptions["timeout"];
}

/** Runs a step's code once. An attempt that is late has failed, whatever its code does then. */
export async function runStep({ key, attempt, run, timeout }: StepRun, parts: AttemptParts): Promise<unknown> {
  const { control, clock, record } = parts;
  if (timeout === undefined) return await run({ attempt, signal: control.signal });
  const ms = durationMs("timeout", timeout);
  const own = new AbortController();
  const stop = () => own.abort(control.signal.reason);
  control.signal.addEventListener("abort", stop);
  let stopTimer = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    stopTimer = clock.after(ms, () => {
      const error = lateStep(record.id, key, ms);
      // First: what the code throws because of its signal is not why the attempt failed.
      reject(error);
      own.abort(error);
    });
  });
  try {
    return await Promise.race([run({ attempt, signal: own.signal }), late]);
  } finally {
    stopTimer();
    control.signal.removeEventListener("abort", stop);
  }
}

function lateStep(taskId: string, key: string, ms: number): ResumableError {
  return new ResumableError(
    "ATTEMPT_TIMEOUT",
    `Step ${JSON.stringify(key)} reached its timeout (${ms} ms) and was stopped. Give it more time, or make it smaller.`,
    { details: { taskId, limit: "timeout", ms } },
  );
}

/** What a step throws in its tool after its last attempt. A `TerminalError` stays one. */
export function stepFailed(taskId: string, key: string, attempts: number, cause: unknown): unknown {
  if (isTerminalError(cause)) return cause;
  const last = cause instanceof Error ? cause.message : String(cause);
  const times = attempts === 1 ? "once" : `${attempts} times`;
  const message = `Step ${JSON.stringify(key)} failed ${times}, and its retry allows no more: ${last}`;
  return new ResumableError("STEP_FAILED", message, { details: { taskId, key, attempts }, cause });
}

/** What a journal keeps of an error, as an error again. */
export function errorOf({ message, terminal, forCaller: shown }: TaskFailure): Error {
  const forCaller = shown === true;
  if (terminal === true) return new TerminalError(message, { forCaller });
  return forCaller ? new ToolError(message) : new Error(message);
}
