/** What is to be done with the orphans that a look found. */
export interface OrphanPlan {
  /** Their callers had their time: they run without them. */
  readonly due: readonly string[];
  /** Until the next one is due, in milliseconds; `undefined` when none will be. */
  readonly nextMs: number | undefined;
}

/**
 * Tasks that no process runs and that are not detached: their process died while a caller was connected. Each waits for a
 * caller to return, and runs without one `recoverAfterMs` after this process saw it first, by its monotonic clock.
 */
export class Orphans {
  readonly #recoverAfterMs: number;
  /** By task id, in monotonic milliseconds. */
  readonly #firstSeenMs = new Map<string, number>();

  constructor(recoverAfterMs: number) {
    this.#recoverAfterMs = recoverAfterMs;
  }

  /** How many wait. */
  get size(): number {
    return this.#firstSeenMs.size;
  }

  /**
   * Takes note of what a look found.
   *
   * @param isAll there is nothing else to be found: an orphan that is missing has been taken by a process.
   */
  look(found: readonly string[], isAll: boolean, nowMs: number): OrphanPlan {
    const present = new Set(found);
    if (isAll) for (const id of this.#firstSeenMs.keys()) if (!present.has(id)) this.#firstSeenMs.delete(id);
    const due: string[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const id of found) {
      const firstSeenMs = this.#firstSeenMs.get(id) ?? nowMs;
      const leftMs = firstSeenMs + this.#recoverAfterMs - nowMs;
      if (leftMs <= 0) {
        due.push(id);
        this.#firstSeenMs.delete(id);
      } else {
        this.#firstSeenMs.set(id, firstSeenMs);
        nextMs = Math.min(nextMs, leftMs);
      }
    }
    return { due, nextMs: Number.isFinite(nextMs) ? nextMs : undefined };
  }
}
