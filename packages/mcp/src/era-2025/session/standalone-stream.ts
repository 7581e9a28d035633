import type { SseStream } from "../../http/sse-stream.js";
import type { SessionLimits } from "../../limits.js";
import { randomToken } from "../../owner/random-token.js";
import type { JSONRPCMessage } from "../../sdk-2025.js";
import type { Place } from "./event-id.js";
import type { Prime } from "./prime.js";
import { SessionStream } from "./session-stream.js";

/**
 * The stream of what belongs to no request, as this process sends it. Most sessions never have one.
 *
 * What is sent while no response carries it is kept as of `maxReplayEvents`, in this process alone: the specification allows that.
 *
 * Source: MCP 2025-11-25, Transports, "Listening for Messages from the Server".
 */
export class StandaloneStream {
  readonly #limits: SessionLimits;
  #made: SessionStream | undefined;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  get #stream(): SessionStream {
    this.#made ??= new SessionStream(`all_${randomToken(9)}`, "once", this.#limits);
    return this.#made;
  }

  /** The place from which a client that comes with a cursor continues; what another process sent is not known here. */
  placeOf(after: { readonly stream: string; readonly place: number } | undefined): number {
    return after?.stream === this.#stream.name ? after.place : this.#stream.place;
  }

  /** The place of the last event. */
  get place(): number {
    return this.#stream.place;
  }

  get isCarried(): boolean {
    return this.#made?.isCarried === true;
  }

  /** Lets a response carry it. */
  sendOn(sse: SseStream, after: Place, prime: Prime): void {
    this.#stream.sendOn(sse, after, prime);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#stream.write(message);
  }
}
