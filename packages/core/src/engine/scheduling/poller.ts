import type { Environment } from "../environment.js";

type PollerEnvironment = Pick<Environment, "clock" | "onError"> & {
  readonly limits: Pick<Environment["limits"], "pollMs" | "notificationDelayMs">;
};

/** Looks for work again and again: when notified, when something falls due, and now and then. One look at a time. */
export class Poller {
  readonly #environment: PollerEnvironment;
  readonly #pollOnce: () => Promise<number | undefined>;
  #stopTimer = () => {};
  #timerDueMs = Number.POSITIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #isNotified = false;
  #stopped = false;

  /** @param pollOnce looks once; resolves to the delay until there will be something to see, if that is known. */
  constructor(environment: PollerEnvironment, pollOnce: () => Promise<number | undefined>) {
    this.#environment = environment;
    this.#pollOnce = pollOnce;
  }

  /** Looks now, and from then on until stopped. */
  async look(): Promise<void> {
    if (this.#stopped) return;
    this.#looking ??= this.#lookAndArm().finally(() => {
      this.#looking = undefined;
      // A notification that came when the next look was chosen already, and this one was not yet over.
      if (this.#isNotified) this.notify();
    });
    await this.#looking;
  }

  /** Looks soon: notifications come in crowds. */
  notify(): void {
    if (this.#looking !== undefined) this.#isNotified = true;
    else this.#arm(this.#environment.limits.notificationDelayMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer();
  }

  async #lookAndArm(): Promise<void> {
    const { limits, onError } = this.#environment;
    let delayMs: number = limits.pollMs;
    this.#isNotified = false;
    try {
      delayMs = Math.min((await this.#pollOnce()) ?? limits.pollMs, limits.pollMs);
    } catch (error) {
      onError(error);
    }
    this.#stopTimer();
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    this.#arm(this.#isNotified ? Math.min(delayMs, limits.notificationDelayMs) : delayMs);
    this.#isNotified = false;
  }

  #arm(delayMs: number): void {
    const { clock } = this.#environment;
    const dueMs = clock.monotonicMs() + Math.max(0, delayMs);
    if (this.#stopped || dueMs >= this.#timerDueMs) return;
    this.#stopTimer();
    this.#timerDueMs = dueMs;
    this.#stopTimer = clock.after(Math.max(0, delayMs), () => {
      this.#timerDueMs = Number.POSITIVE_INFINITY;
      // Errors were reported by the look itself.
      void this.look();
    });
  }
}

/** Why a task waits: until it is due, or because its store failed, which must not be tried at once. */
export type TimerKind = "due" | "backoff";

/** At most one timer for each task. */
export class TaskTimers {
  readonly #clock: Environment["clock"];
  readonly #timers = new Map<string, { readonly kind: TimerKind; readonly stop: () => void }>();

  constructor(clock: Environment["clock"]) {
    this.#clock = clock;
  }

  /** Calls back after a delay, in place of what was set for this task before. */
  set(taskId: string, kind: TimerKind, delayMs: number, run: () => void): void {
    this.clear(taskId);
    const stop = this.#clock.after(Math.max(0, delayMs), () => {
      this.#timers.delete(taskId);
      run();
    });
    this.#timers.set(taskId, { kind, stop });
  }

  /** A timer is set, of whichever kind. */
  has(taskId: string): boolean {
    return this.#timers.has(taskId);
  }

  /** The task must not be tried before its time. */
  holds(taskId: string): boolean {
    return this.#timers.get(taskId)?.kind === "backoff";
  }

  /** How many tasks must not be tried before their time. */
  get held(): number {
    return [...this.#timers.values()].filter(({ kind }) => kind === "backoff").length;
  }

  clear(taskId: string): void {
    this.#timers.get(taskId)?.stop();
    this.#timers.delete(taskId);
  }

  clearAll(): void {
    for (const taskId of [...this.#timers.keys()]) this.clear(taskId);
  }
}
