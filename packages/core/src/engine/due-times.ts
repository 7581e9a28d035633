import type { Clock } from "./clock.js";

/** Beyond this many the oldest are forgotten, and the wall clock decides over them again. */
const maxKnown = 100_000;

/**
 * When the times that journals name come, by the monotonic clock of this process.
 *
 * Journals name times of the wall clock, which somebody may set. The first time that this process meets such a time it
 * notes how far away it is; from then on the wall clock has no say in it.
 */
export class DueTimes {
  private readonly clock: Clock;
  /** By the time in the journal: monotonic milliseconds. */
  private readonly known = new Map<number, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Milliseconds until a time of the wall clock comes; 0 or less when it has come. */
  leftMs(wallMs: number): number {
    if (!Number.isFinite(wallMs)) return wallMs;
    const nowMs = this.clock.monotonicMs();
    const dueMs = this.known.get(wallMs) ?? this.note(wallMs, nowMs + wallMs - this.clock.wallMs());
    return dueMs - nowMs;
  }

  private note(wallMs: number, dueMs: number): number {
    this.known.set(wallMs, dueMs);
    const [oldest] = this.known.keys();
    if (this.known.size > maxKnown && oldest !== undefined) this.known.delete(oldest);
    return dueMs;
  }
}
