import type { AttemptOptions } from "./attempt.js";

/**
 * Decides when a running attempt looks for signals.
 *
 * Every commit brings the pending signals along, so a hint may wait a moment for one. Where neither hint nor commit
 * comes, the attempt looks every `pollMs`: hints may get lost between processes.
 */
export class SignalWatch {
  private readonly options: Pick<AttemptOptions, "store" | "clock" | "lease" | "limits">;
  private readonly look: () => void;
  private readonly unwatch: () => void;
  private stopHint: (() => void) | undefined;
  private stopPoll = () => {};

  constructor(options: Pick<AttemptOptions, "store" | "clock" | "lease" | "limits">, look: () => void) {
    this.options = options;
    this.look = look;
    this.unwatch = options.store.watch(options.lease.taskId, () => this.hint());
    this.poll();
  }

  /** The store is being asked just now: it will tell of everything that was hinted at until here, not of later hints. */
  asked(): void {
    this.stopHint?.();
    this.stopHint = undefined;
    this.poll();
  }

  stop(): void {
    this.unwatch();
    this.stopHint?.();
    this.stopPoll();
  }

  private hint(): void {
    const { clock, limits } = this.options;
    this.stopHint ??= clock.after(limits.hintDelayMs, () => {
      this.stopHint = undefined;
      this.look();
    });
  }

  private poll(): void {
    const { clock, limits } = this.options;
    this.stopPoll();
    this.stopPoll = clock.after(limits.pollMs, () => {
      this.poll();
      this.look();
    });
  }
}
