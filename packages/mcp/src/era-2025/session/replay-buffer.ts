import type { SessionLimits } from "./session-limits.js";

/** What was written to a stream that has no journal. */
export interface BufferedEvent {
  readonly place: number;
  readonly data: string;
  /** See `SseEvent`. */
  readonly onSent?: (() => void) | undefined;
}

/**
 * Keeps the last events of a stream, to send them again to a client that lost them.
 *
 * Limits: `maxReplayEvents` and `maxReplayBytes`; the oldest go first, the newest always stays.
 */
export class ReplayBuffer {
  readonly #limits: Pick<SessionLimits, "maxReplayEvents" | "maxReplayBytes">;
  #events: BufferedEvent[] = [];
  #bytes = 0;

  constructor(limits: Pick<SessionLimits, "maxReplayEvents" | "maxReplayBytes">) {
    this.#limits = limits;
  }

  add(event: BufferedEvent): void {
    this.#events.push(event);
    this.#bytes += event.data.length;
    while (this.#events.length > 1 && this.#isFull()) this.#bytes -= this.#events.shift()?.data.length ?? 0;
  }

  after(place: number): readonly BufferedEvent[] {
    return this.#events.filter((event) => event.place > place);
  }

  #isFull(): boolean {
    return this.#events.length > this.#limits.maxReplayEvents || this.#bytes > this.#limits.maxReplayBytes;
  }
}
