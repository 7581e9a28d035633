import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { SessionLimits } from "../../limits.js";
import { type Cursor, formatEventId } from "./event-id.js";
import { ReplayBuffer, type SseStream } from "./sse-stream.js";

/**
 * The stream of what belongs to no request; a newer connection replaces an older one, which may be half open.
 *
 * Source: MCP 2025-11-25, Transports, "Listening for Messages from the Server".
 */
export class StandaloneStream {
  readonly #name: string;
  readonly #replay: ReplayBuffer;
  #place = 0;
  #sse: SseStream | undefined;
  #release: (() => void) | undefined;

  constructor(name: string, limits: SessionLimits) {
    this.#name = name;
    this.#replay = new ReplayBuffer(limits);
  }

  /** Whether a cursor is beyond anything that was sent. */
  isAhead({ stream, place }: Cursor): boolean {
    return stream === this.#name && place > this.#place;
  }

  sendOn(sse: SseStream, after: Cursor | undefined, prime: { readonly retryMs: number } | undefined): void {
    this.#release?.();
    this.#sse = sse;
    sse.carries = this.#name;
    this.#release = sse.acquire(() => {
      if (this.#sse === sse) this.#sse = undefined;
    });
    // What a process before this one sent is not known here.
    const place = after?.stream === this.#name ? after.place : this.#place;
    if (prime !== undefined) void sse.write({ id: formatEventId(this.#name, place), data: "", retryMs: prime.retryMs });
    for (const event of this.#replay.after(place)) {
      void sse.write({ id: formatEventId(this.#name, event.place), data: event.data });
    }
  }

  async write(message: JSONRPCMessage): Promise<void> {
    const data = JSON.stringify(message);
    this.#place += 1;
    this.#replay.add({ place: this.#place, data });
    await this.#sse?.write({ id: formatEventId(this.#name, this.#place), data });
  }
}
