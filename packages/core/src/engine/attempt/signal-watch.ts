import type { AttemptOptions } from "./attempt.js";

/**
 * Decides when a running attempt looks for signals.
 *
 * Every commit brings the pending signals along, so a notification may wait a moment for one. Where neither notification nor commit
 * comes, the attempt looks every `pollMs`: notifications may get lost between processes.
 */
export class SignalWatch {
  readonly #options: Pick<AttemptOptions, "store" | "clock" | "lease" | "limits">;
  readonly #look: () => void;
  readonly #unwatch: () => void;
  #stopNotification: (() => void) | undefined;
  #stopPoll = () => {};

  constructor(options: Pick<AttemptOptions, "store" | "clock" | "lease" | "limits">, look: () => void) {
    this.#options = options;
    this.#look = look;
    this.#unwatch = options.store.watch(options.lease.taskId, () => this.#notify());
    this.#poll();
  }

  /** The store is being asked just now: it will tell of everything that was notified at until here, not of later notifications. */
  asked(): void {
    this.#stopNotification?.();
    this.#stopNotification = undefined;
    this.#poll();
  }

  stop(): void {
    this.#unwatch();
    this.#stopNotification?.();
    this.#stopPoll();
  }

  #notify(): void {
    const { clock, limits } = this.#options;
    this.#stopNotification ??= clock.after(limits.notificationDelayMs, () => {
      this.#stopNotification = undefined;
      this.#look();
    });
  }

  #poll(): void {
    const { clock, limits } = this.#options;
    this.#stopPoll();
    this.#stopPoll = clock.after(limits.pollMs, () => {
      this.#poll();
      this.#look();
    });
  }
}
