import { isResumableError } from "../../errors.js";
import type { EngineLimits } from "../../limits.js";
import type { Clock } from "../clock.js";

import { writeBackoff } from "../retry-delay.js";

/** What the stops of an engine share. */
export interface CallerStopsOptions {
  readonly clock: Clock;
  readonly limits: Pick<EngineLimits, "writeBackoffMs" | "maxWriteBackoffMs">;
  /** Never throws. */
  readonly onError: (error: unknown) => void;
}

/**
 * Stops tasks whose last caller cancelled its request. A stop that the store cannot take (a full disk) is repeated, with
 * growing pauses of at most `maxWriteBackoffMs`, until it is written or a caller returns.
 */
export class CallerStops {
  readonly #options: CallerStopsOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #retries = new Map<string, () => void>();

  constructor(options: CallerStopsOptions) {
    this.#options = options;
  }

  /** Begins to stop a task, after the stop of it that is under way. */
  begin(taskId: string, stop: () => Promise<void>, failures = 0): void {
    this.forget(taskId);
    const before = this.#running.get(taskId) ?? Promise.resolve();
    const stopped = before
      .then(stop)
      .catch((error: unknown) => this.#failed(taskId, stop, error, failures))
      .finally(() => {
        if (this.#running.get(taskId) === stopped) this.#running.delete(taskId);
      });
    this.#running.set(taskId, stopped);
  }

  /** Resolves when the stop that is under way is written, or has failed: a repetition is not waited for. */
  async written(taskId: string): Promise<void> {
    await this.#running.get(taskId);
  }

  /** A caller is there again: a stop that failed is not repeated. */
  forget(taskId: string): void {
    this.#retries.get(taskId)?.();
    this.#retries.delete(taskId);
  }

  #failed(taskId: string, stop: () => Promise<void>, error: unknown, failures: number): void {
    const { clock, limits, onError } = this.#options;
    onError(error);
    if (!isResumableError(error, "STORE_WRITE_FAILED") && !isResumableError(error, "STORE_READ_FAILED")) return;
    this.forget(taskId);
    const cancel = clock.after(writeBackoff(failures, limits), () => this.begin(taskId, stop, failures + 1));
    this.#retries.set(taskId, cancel);
  }
}
