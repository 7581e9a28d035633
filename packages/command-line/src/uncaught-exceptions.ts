import { AsyncLocalStorage } from "node:async_hooks";
import type { LeftTasks, RunAttempt } from "@resumable-mcp/core/engine";

/** Exceptions of a process that is about to end which are still reported: a timer may throw again and again. */
const maxReported = 10;
/** How long the rest of a process has, after its tasks had their time to stop, in milliseconds. */
const closeMs = 3_000;

/** What a program does with exceptions that nothing catches. */
export interface UncaughtExceptions {
  /** Runs an attempt so that its exceptions tell its task. */
  readonly runAttempt: RunAttempt;
  /** Releases what the process runs, except for these tasks. Until it is set, the process ends at once. */
  release: ((leave: LeftTasks) => Promise<unknown>) | undefined;
}

/**
 * Ends the process with 1 after an exception that nothing catches, which leaves it in a state that its code does not know.
 * The other tasks reach a checkpoint and are released first; the task whose code threw keeps its lease, so that the next
 * process counts a death for it: one that always throws fails with `CRASH_LOOP`. Where nothing tells whose code it was, all
 * tasks keep theirs.
 *
 * Limits: `drainTimeoutMs` and 3 s.
 */
export function handleUncaughtExceptions(
  report: (error: unknown, taskId: string | undefined) => void,
  drainTimeoutMs: number,
): UncaughtExceptions {
  const attempts = new AsyncLocalStorage<string>();
  const handling: UncaughtExceptions = {
    runAttempt: (taskId, run) => attempts.run(taskId, run),
    release: undefined,
  };
  let count = 0;
  process.on("uncaughtException", (error: unknown) => {
    count += 1;
    const taskId = attempts.getStore();
    if (count <= maxReported) report(error, taskId);
    if (count > 1) return;
    const exit = (): never => process.exit(1);
    if (handling.release === undefined) return exit();
    setTimeout(exit, drainTimeoutMs + closeMs);
    handling.release(taskId === undefined ? "all" : [taskId]).then(exit, exit);
  });
  return handling;
}
