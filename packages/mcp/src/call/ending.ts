/** How a request can end before it is answered: its caller leaves or cancels it, or its server stops. */
export interface Ending {
  /** Why it ended; `undefined` while it has not. */
  readonly reason: unknown;
  /** For who wants one: it costs a noticeable part of a small call. */
  readonly signal: AbortSignal;
  /** Calls once it ends; at once where it has. Returns what takes the listener away. */
  whenEnded(listener: () => void): () => void;
}

/** Ends a request. It does what an `AbortController` does, and makes one only for who asks for the signal. */
export class EndingController implements Ending {
  reason: string | undefined;
  #controller: AbortController | undefined;
  readonly #listeners = new Set<() => void>();

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.reason !== undefined) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  whenEnded(listener: () => void): () => void {
    if (this.reason !== undefined) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The first reason stays. */
  end(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
    this.#controller?.abort(reason);
  }
}

/** The same of a signal that is there already. */
export function endingOf(signal: AbortSignal): Ending {
  return {
    get reason() {
      return signal.reason;
    },
    signal,
    whenEnded(listener) {
      if (signal.aborted) listener();
      else signal.addEventListener("abort", listener);
      return () => signal.removeEventListener("abort", listener);
    },
  };
}
