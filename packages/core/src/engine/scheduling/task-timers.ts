import type { Clock } from "../clock.js";

/** Why a task waits: until it is due, or because its store failed and it must not be tried at once. */
export type TimerKind = "due" | "backoff";

/** At most one timer for each task. */
export class TaskTimers {
  readonly #clock: Clock;
  readonly #timers = new Map<string, { readonly kind: TimerKind; readonly stop: () => void }>();

  constructor(clock: Clock) {
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

  kindOf(taskId: string): TimerKind | undefined {
    return this.#timers.get(taskId)?.kind;
  }

  /** How many tasks wait because their store failed. */
  get backoffs(): number {
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
