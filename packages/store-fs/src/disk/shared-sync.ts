/**
 * Lets several callers share one sync: a caller that asks while one is running waits for the next, which begins when that
 * one is over and counts for all that asked meanwhile.
 *
 * A sync that fails fails those who wait for the next one too: what they wrote lies behind what may be lost, and the
 * system says so only once.
 */
export class SharedSync {
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when a sync that began after this call has succeeded. */
  request(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#start();
    const next = this.#running.then(() => this.#start());
    this.#next = next;
    // One that fails before it begins makes room for a new one.
    next.catch(() => {
      if (this.#next === next) this.#next = undefined;
    });
    return next;
  }

  /** Resolves when nothing is under way, however it ended. */
  async idle(): Promise<void> {
    for (let last = this.#last; last !== undefined; last = this.#last) await last.catch(() => undefined);
  }

  get #last(): Promise<void> | undefined {
    return this.#next ?? this.#running;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const run = this.#work().finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
    this.#running = run;
    return run;
  }
}

/**
 * Waits until everything has ended, then fails with the first failure, if there was one: what follows finds
 * nothing under way any more.
 */
export async function allDone(work: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Work whose failure concerns no caller: what fails is found and done again later. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();

  /** @returns a promise that resolves when the work has ended, however it ended. */
  add(work: Promise<void>): Promise<void> {
    const tracked = work.catch(() => undefined).finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    return tracked;
  }

  /** Resolves when all work has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
