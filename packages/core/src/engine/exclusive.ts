/** Lets one piece of work at a time touch a task within this process. */
export class Exclusive {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs work when all earlier work on this task has ended. */
  run<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#tails.get(taskId) ?? Promise.resolve()).then(work);
    const over = (): void => {
      if (this.#tails.get(taskId) === tail) this.#tails.delete(taskId);
    };
    const tail: Promise<void> = result.then(over, over);
    this.#tails.set(taskId, tail);
    return result;
  }

  /** Resolves when the work on this task, or on all tasks, that was given until now has ended. */
  async ended(taskId?: string): Promise<void> {
    await (taskId === undefined ? Promise.all(this.#tails.values()) : this.#tails.get(taskId));
  }

  /** No work is under way. */
  get idle(): boolean {
    return this.#tails.size === 0;
  }
}
