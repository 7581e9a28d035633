/** Calls that are being stored, by the ids of their requests. Each ends when its call is delivered or refused. */
export class EnteringCalls {
  readonly #entering = new Map<unknown, Promise<void>>();

  /** Notes a call until it is answered. */
  note(requestId: unknown, answer: Promise<unknown>): void {
    const entered = answer.then(
      () => {},
      () => {},
    );
    this.#entering.set(requestId, entered);
    void entered.then(() => {
      if (this.#entering.get(requestId) === entered) this.#entering.delete(requestId);
    });
  }

  /** A cancellation waits for its call: before, there is nothing to cancel. */
  async ended(requestId: unknown): Promise<void> {
    await this.#entering.get(requestId);
  }
}
