import { ResumableError } from "../../errors.js";
import type { Tool } from "../../tool/tool.js";
import type { Clock } from "../clock.js";

import type { AttemptControl } from "./attempt-control.js";

/** Timers of an attempt as a whole, and of the time since its last commit. */
export interface AttemptTimeouts {
  /** What ran out, if anything did. */
  readonly error: ResumableError<"ATTEMPT_TIMEOUT"> | undefined;
  /** The attempt has committed something. */
  touch(): void;
  dispose(): void;
}

/** Starts the timers of an attempt; when one runs out, the attempt is aborted. */
export function startTimeouts(
  taskId: string,
  tool: Pick<Tool, "name" | "attemptTimeoutMs" | "stallTimeoutMs">,
  control: AttemptControl,
  clock: Clock,
  graceMs: number,
): AttemptTimeouts {
  let error: ResumableError<"ATTEMPT_TIMEOUT"> | undefined;
  let stopStall = () => {};
  const runOut = (limit: "attemptTimeoutMs" | "stallTimeoutMs", ms: number): void => {
    if (control.aborted !== undefined) return;
    error = timeoutError(taskId, tool.name, limit, ms);
    control.abort("timeout", graceMs);
  };
  const touch = (): void => {
    stopStall();
    const ms = tool.stallTimeoutMs;
    if (ms === undefined) return;
    // A tool that waits for an answer or for a time to come is not stuck.
    stopStall = clock.after(ms, () => (control.waiting ? touch() : runOut("stallTimeoutMs", ms)));
  };
  const wholeMs = tool.attemptTimeoutMs;
  const stopWhole = wholeMs === undefined ? () => {} : clock.after(wholeMs, () => runOut("attemptTimeoutMs", wholeMs));
  touch();
  return {
    get error() {
      return error;
    },
    touch,
    dispose() {
      stopWhole();
      stopStall();
    },
  };
}

function timeoutError(taskId: string, tool: string, limit: string, ms: number): ResumableError<"ATTEMPT_TIMEOUT"> {
  return new ResumableError(
    "ATTEMPT_TIMEOUT",
    `${tool} was stopped by ${limit} (${ms} ms). It continues from its last checkpoint when resume_task is called.`,
    { details: { taskId, limit, ms } },
  );
}
