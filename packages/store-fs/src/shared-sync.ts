/**
 * Lets several callers share one sync: whoever asks while one is running waits for the next, which begins when that
 * one is over and stands for all who asked meanwhile.
 */
export class SharedSync {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.work = work;
  }

  /** Resolves when a sync that began after this call has succeeded. */
  request(): Promise<void> {
    if (this.running === undefined) return this.start();
    this.next ??= this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.next;
  }

  /** Resolves when nothing is under way, however it ended. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await Promise.allSettled([this.running, this.next]);
  }

  private start(): Promise<void> {
    this.next = undefined;
    const run = this.work().finally(() => {
      if (this.running === run) this.running = undefined;
    });
    this.running = run;
    return run;
  }
}
