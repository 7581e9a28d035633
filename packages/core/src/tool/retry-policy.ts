import { type Duration, durationProblem, readDuration } from "../duration.js";
import { unknownKeys } from "./known-keys.js";

/** When and how often a failed attempt is made again. */
export interface RetryPolicy {
  /** Attempts in all: of a tool since its last progress, of a step since it began. */
  readonly maxAttempts: number;
  /** The longest delay before the second attempt. Default 1 s. */
  readonly initialDelay?: Duration;
  /** Each later delay may be this many times as long as the one before. Default 2. */
  readonly factor?: number;
  /** Default 1 min. */
  readonly maxDelay?: Duration;
}

const known: ReadonlySet<string> = new Set(
  Object.keys({ maxAttempts: true, initialDelay: true, factor: true, maxDelay: true } satisfies Record<
    keyof RetryPolicy,
    true
  >),
);

/** What is wrong with a policy, one clause for each. */
export function retryProblems(policy: RetryPolicy): readonly string[] {
  const { maxAttempts, factor = 1 } = policy;
  const problems = unknownKeys(policy, known, "retry");
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) problems.push("maxAttempts must be a whole number from 1 on");
  if (!(factor >= 1)) problems.push("factor must be a number from 1 on");
  for (const name of ["initialDelay", "maxDelay"] as const) {
    const value = policy[name];
    if (value !== undefined && !Number.isFinite(readDuration(value)))
      problems.push(`${name} ${durationProblem(value)}`);
  }
  return problems;
}
