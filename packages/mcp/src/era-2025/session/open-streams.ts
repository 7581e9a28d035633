import { SseStream } from "../../http/sse-stream.js";
import type { SessionLimits } from "../../limits.js";

/** The HTTP responses of one session that are open. Limits: `maxStreams`, which the session asks for by `size`. */
export class OpenStreams {
  readonly #limits: SessionLimits;
  readonly #streams = new Set<SseStream>();
  #closed = false;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#streams.size;
  }

  open(): SseStream {
    const stream = new SseStream(this.#limits, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    // The session was ended while the request entered: nothing would ever be written.
    if (this.#closed) stream.close();
    return stream;
  }

  /** Tells the client on every stream when to come back. */
  tellRetry(retryMs: number): void {
    for (const stream of this.#streams) void stream.write({ retryMs });
  }

  /** Closes all, and those that are opened later. */
  close(): void {
    this.#closed = true;
    for (const stream of [...this.#streams]) stream.close();
  }
}
