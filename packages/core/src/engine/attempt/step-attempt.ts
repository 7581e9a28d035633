import {
  type ErrorDetails,
  invalidValue,
  isTerminalError,
  ResumableError,
  TerminalError,
  ToolError,
} from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { TaskFailure } from "../../task/task-event.js";
import { unknownKeys } from "../../tool/known-keys.js";
import { retryProblems } from "../../tool/retry-policy.js";
import type { MapOptions, StepAttempt, StepOptions } from "../../tool/tool.js";
import { durationMs } from "../clock.js";
import type { AttemptParts } from "./attempt-parts.js";

const stepKeys = { retry: true, timeout: true } satisfies Record<keyof StepOptions, true>;
const mapKeys = { ...stepKeys, concurrency: true, onFailure: true } satisfies Record<keyof MapOptions, true>;
const known = { step: new Set(Object.keys(stepKeys)), map: new Set(Object.keys(mapKeys)) };

/** @throws {@link ResumableError} `INVALID_VALUE`. */
export function checkStepOptions(verb: "step" | "map", key: string, options: MapOptions): void {
  const { retry, timeout, concurrency = 1, onFailure = "stop" } = options;
  const what = `${verb} ${JSON.stringify(key)}`;
  const problems = [...unknownKeys(options, known[verb], verb), ...(retry === undefined ? [] : retryProblems(retry))];
  if (timeout !== undefined && durationMs(`The timeout of ${what}`, timeout) === 0)
    problems.push("timeout must be more than 0");
  const { maxConcurrency } = fixedLimits;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency)
    problems.push(`concurrency must be a whole number from 1 to ${maxConcurrency}`);
  if (onFailure !== "stop" && onFailure !== "collect") problems.push('onFailure must be "stop" or "collect"');
  if (problems.length > 0) throw invalidValue(`The options of ${what}`, problems);
}

/** An attempt that failed. */
export interface FailedStep {
  readonly attempt: number;
  /** When the next one begins; absent: none does. */
  readonly until?: string;
}

/** One attempt of a step, or of an item: which one, and how it is run. */
interface StepRun {
  /** As a sentence about it begins. */
  readonly what: string;
  readonly attempt: number;
  readonly run: (attempt: StepAttempt) => unknown;
  readonly timeout: StepOptions["timeout"];
}

/** Runs a step's code once. An attempt that is late has failed, whatever its code does then. */
export async function runStep(
  { what, attempt, run, timeout }: StepRun,
  { control, clock, record }: AttemptParts,
): Promise<unknown> {
  const own = control.fork();
  let stopTimer = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    if (timeout === undefined) return;
    const ms = durationMs("timeout", timeout);
    stopTimer = clock.after(ms, () => {
      const error = lateStep(record.id, what, ms);
      // First: what the code throws because of its signal is not why the attempt failed.
      reject(error);
      own.abort(error);
    });
  });
  try {
    return await Promise.race([run({ attempt, signal: own.signal }), late]);
  } finally {
    stopTimer();
    control.release(own);
  }
}

function lateStep(taskId: string, what: string, ms: number): ResumableError {
  return new ResumableError(
    "ATTEMPT_TIMEOUT",
    `${what} reached its timeout (${ms} ms) and was stopped. Give it more time, or make it smaller.`,
    { details: { taskId, limit: "timeout", ms } },
  );
}

/** What a step or an item throws in its tool after its last attempt. A `TerminalError` stays one. */
export function attemptsFailed(what: string, details: ErrorDetails["STEP_FAILED"], cause: unknown): unknown {
  if (isTerminalError(cause)) return cause;
  const last = cause instanceof Error ? cause.message : String(cause);
  const times = details.attempts === 1 ? "once" : `${details.attempts} times`;
  const message = `${what} failed ${times}, and its retry allows no more: ${last}`;
  return new ResumableError("STEP_FAILED", message, { details, cause });
}

/** What a journal keeps of an error, as an error again. */
export function errorOf({ message, terminal, forCaller: shown }: TaskFailure): Error {
  const forCaller = shown === true;
  if (terminal === true) return new TerminalError(message, { forCaller });
  return forCaller ? new ToolError(message) : new Error(message);
}
