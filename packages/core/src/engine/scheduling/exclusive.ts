/** Lets one piece of work at a time touch a task within this process: they would take each other's lease away. */
export class Exclusive {
  private readonly tails = new Map<string, Promise<void>>();

  /** Runs work when all earlier work on this task has ended. */
  run<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.tails.get(taskId) ?? Promise.resolve()).then(work);
    const over = (): void => {
      if (this.tails.get(taskId) === tail) this.tails.delete(taskId);
    };
    const tail: Promise<void> = result.then(over, over);
    this.tails.set(taskId, tail);
    return result;
  }
}
