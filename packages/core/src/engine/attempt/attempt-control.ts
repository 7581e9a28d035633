import { type InterruptReason, TaskInterrupted } from "../../errors.js";
import type { Clock } from "../clock.js";

/** Stops an attempt in three stages: wanted (at the next checkpoint), aborted (now), abandoned (without the tool). */
export interface AttemptControl {
  /** Handed to the tool. */
  readonly signal: AbortSignal;
  /** Why the attempt should stop at its next checkpoint, if it should. */
  readonly wanted: InterruptReason | undefined;
  /** Why the attempt must stop at once, if it must. */
  readonly aborted: InterruptReason | undefined;
  /** A verb waits in place. */
  readonly waiting: boolean;
  /** Rejects with a `TaskInterrupted` when the tool's code is no longer waited for. Never resolves. */
  readonly abandoned: Promise<never>;
  /** Stop at the next checkpoint; when none comes within the grace time, at once. */
  want(reason: InterruptReason, graceMs: number): void;
  /** Takes back a request of this reason, if it was not carried out yet. Requests of other reasons stand. */
  unwant(reason: InterruptReason): void;
  /** Stop now: aborts the signal; after the grace time the tool is abandoned. */
  abort(reason: InterruptReason, graceMs: number): void;
  /** Says that a verb waits in place, where stopping is always safe. Returns the end of the wait. */
  waitInPlace(): () => void;
  /** Turns all timers off. */
  dispose(): void;
}

/** Makes the control of one attempt. */
export function createAttemptControl(clock: Clock): AttemptControl {
  return new Control(clock);
}

interface StopRequest {
  readonly reason: InterruptReason;
  readonly graceMs: number;
  readonly stopTimer: () => void;
}

class Control implements AttemptControl {
  readonly abandoned: Promise<never>;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #requests = new Map<InterruptReason, StopRequest>();
  #abandon: (error: TaskInterrupted) => void = () => {};
  #stopAbandon: () => void = () => {};
  #abortedFor: InterruptReason | undefined;
  #waits = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.abandoned = new Promise<never>((_resolve, reject) => {
      this.#abandon = reject;
    });
    this.abandoned.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get wanted(): InterruptReason | undefined {
    return this.#firstRequest()?.reason;
  }
  get aborted(): InterruptReason | undefined {
    return this.#abortedFor;
  }
  get waiting(): boolean {
    return this.#waits > 0;
  }

  want(reason: InterruptReason, graceMs: number): void {
    if (this.#requests.has(reason) || this.#abortedFor !== undefined) return;
    const stopTimer = this.#clock.after(graceMs, () => this.abort(reason, graceMs));
    this.#requests.set(reason, { reason, graceMs, stopTimer });
    if (this.waiting) this.abort(reason, graceMs);
  }

  unwant(reason: InterruptReason): void {
    this.#requests.get(reason)?.stopTimer();
    this.#requests.delete(reason);
  }

  abort(reason: InterruptReason, graceMs: number): void {
    if (this.#abortedFor !== undefined) return;
    this.#abortedFor = reason;
    this.#stopRequests();
    this.#controller.abort(new TaskInterrupted(reason));
    this.#stopAbandon = this.#clock.after(graceMs, () => this.#abandon(new TaskInterrupted(reason)));
  }

  waitInPlace(): () => void {
    this.#waits += 1;
    const request = this.#firstRequest();
    if (request !== undefined) this.abort(request.reason, request.graceMs);
    return () => {
      this.#waits -= 1;
    };
  }

  dispose(): void {
    this.#stopRequests();
    this.#stopAbandon();
  }

  #firstRequest(): StopRequest | undefined {
    return this.#requests.values().next().value;
  }

  #stopRequests(): void {
    for (const { stopTimer } of this.#requests.values()) stopTimer();
    this.#requests.clear();
  }
}
