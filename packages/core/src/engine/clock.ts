import { type Duration, durationProblem, readDuration } from "../duration.js";
import { invalidValue } from "../errors.js";
import { fixedLimits } from "../limits.js";
import type { Instant } from "../store/store.js";

/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  wallMs(): number;
  /** Milliseconds since an arbitrary moment; never jumps. */
  monotonicMs(): number;
  /**
   * Calls back once after a delay; returns a function that calls it off.
   *
   * @param keepAlive a caller waits for it, so the process must not end meanwhile. By default it may.
   */
  after(delayMs: number, run: () => void, keepAlive?: boolean): () => void;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run, keepAlive = false) {
    // Timers hold 31 bits; a longer delay would fire at once.
    const timer = setTimeout(run, Math.min(delayMs, 2 ** 31 - 1)) as number | { unref?: () => unknown };
    if (!keepAlive && typeof timer === "object") timer.unref?.();
    return () => clearTimeout(timer as number);
  },
};

/** Reads both clocks. */
export function readInstant(clock: Clock): Instant {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
}

/** The last moment that an ISO date can name; waits may be longer than any calendar. */
const lastMs = 8.64e15;

/** Writes a time of the wall clock as journals have it: ISO 8601 UTC. */
export function formatIso(wallMs: number): string {
  return new Date(Math.min(wallMs, lastMs)).toISOString();
}

/** Calls again and again, each time after the call before has ended. Returns how to stop. */
export function repeat(
  clock: Clock,
  { firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number },
  run: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => void {
  let stopped = false;
  let stopTimer = () => {};
  const arm = (delayMs: number): void => {
    if (stopped) return;
    stopTimer = clock.after(delayMs, () => {
      void run()
        .catch(onError)
        .finally(() => arm(everyMs));
    });
  };
  arm(firstMs);
  return () => {
    stopped = true;
    stopTimer();
  };
}

/**
 * When the times that journals name come, by the monotonic clock of this process.
 *
 * Journals name times of the wall clock, which users may set. The first time that this process meets such a time it
 * notes how far away it is; from then on the wall clock has no say in it.
 */
export class DueTimes {
  readonly #clock: Clock;
  /** By the time in the journal: monotonic milliseconds. */
  readonly #known = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until a time of the wall clock comes; 0 or less when it has come. */
  leftMs(wallMs: number): number {
    if (!Number.isFinite(wallMs)) return wallMs;
    const nowMs = this.#clock.monotonicMs();
    const dueMs = this.#known.get(wallMs) ?? this.#note(wallMs, nowMs + wallMs - this.#clock.wallMs());
    return dueMs - nowMs;
  }

  #note(wallMs: number, dueMs: number): number {
    this.#known.set(wallMs, dueMs);
    const [oldest] = this.#known.keys();
    if (this.#known.size > fixedLimits.maxDueTimes && oldest !== undefined) this.#known.delete(oldest);
    return dueMs;
  }
}

/**
 * The milliseconds of a {@link Duration}.
 *
 * @param what names it in the error.
 * @throws {@link ResumableError} `INVALID_VALUE`.
 */
export function durationMs(what: string, value: Duration): number {
  const ms = readDuration(value);
  if (ms === undefined) throw invalidValue(what, [durationProblem(value)]);
  return ms;
}
