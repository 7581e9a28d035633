/** Calls that are being stored, by the ids of their requests. Each ends when its call is delivered or refused. */
export class EnteringCalls {
  readonly #entering = new Map<unknown, Promise<unknown>>();

  /** Notes a call until it is answered. */
  note(requestId: unknown, answer: Promise<unknown>): void {
    this.#entering.set(requestId, answer);
    const forget = () => {
      if (this.#entering.get(requestId) === answer) this.#entering.delete(requestId);
    };
    answer.then(forget, forget);
  }

  /** A cancellation waits for its call: before, there is nothing to cancel. */
  async ended(requestId: unknown): Promise<void> {
    await this.#entering.get(requestId)?.catch(() => {});
  }
}
