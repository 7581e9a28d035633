import { TimeOverError } from "./exit-code.js";

/** The time that a whole command may take. */
export interface TimeLimit {
  /** Rejects when the time is over; never settles otherwise. */
  readonly over: Promise<never>;
  readonly clear: () => void;
}

/** Starts the time that `--timeout` gives. */
export function startTimeLimit(timeoutMs: number | undefined): TimeLimit {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    if (timeoutMs === undefined) return;
    const message = `No answer within ${timeoutMs / 1000} s. Nothing is lost: what was begun goes on, and the same command finds it.`;
    timer = setTimeout(() => reject(new TimeOverError(message)), timeoutMs);
  });
  over.catch(() => undefined);
  return { over, clear: () => clearTimeout(timer) };
}
