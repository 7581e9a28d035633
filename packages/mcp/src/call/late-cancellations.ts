/** How long a cancellation may be under way that its client sent before it had the response, in milliseconds. */
const crossingMs = { local: 50, remote: 1_000 } as const;

/** A response that was written, and the cancellation of its request that came afterwards. */
export interface LateCancellation {
  /** Since the response was written, in milliseconds. */
  readonly afterMs: number;
  /** Whose result the response carried. */
  readonly taskId: string;
}

/**
 * Says which cancellations of one client count that come after the response: those that can have crossed it. Some clients
 * cancel every request once they have its response: after a cancellation that cannot have crossed, and after a second one of
 * the same result, none counts.
 */
export class LateCancellations {
  readonly #crossingMs: number;
  #ignored = false;
  #last: string | undefined;

  /** @param where whether client and server are on one machine. */
  constructor(where: keyof typeof crossingMs) {
    this.#crossingMs = crossingMs[where];
  }

  counts({ afterMs, taskId }: LateCancellation): boolean {
    this.#ignored ||= taskId === this.#last || afterMs > this.#crossingMs;
    this.#last = taskId;
    return !this.#ignored;
  }
}

/** A task's result on its way to a caller. */
export interface Receipt {
  /** Another server answered the call of the task with an error in place of a result. */
  readonly isRefusal: boolean;
  /** The response is about to be written. */
  sending(): void;
  /** A connection that was open accepted the last byte: the result counts as delivered. */
  sent(): void;
  /** The caller gave its request up: the result does not count as delivered, unless it was sent and `late` does not count. */
  withdraw(late: LateCancellations): void;
}
