import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { metaKeys, type Repeatable } from "@resumable-mcp/protocol";
import type { Receipt } from "../../call/receipt.js";
import { isCompletedResponse } from "../../call/receipt.js";
import type { SessionLimits } from "../../limits.js";
import { formatEventId } from "./event-id.js";
import { ReplayBuffer, type SseStream } from "./sse-stream.js";

/** One request of a client and the stream of its answer. */
export class InFlightRequest {
  readonly stream: string;
  readonly request: JSONRPCRequest;
  kind: Repeatable;
  readonly #replay: ReplayBuffer;
  #sse: SseStream | undefined;
  #release: (() => void) | undefined;
  #onFirst: (() => void)[] = [];
  /** The place up to which the present stream has sent. */
  #shown = 0;
  /** Under which id the server behind knows the request now; `undefined` while nothing is delivered. */
  innerId: string | undefined;
  /** The task that the call belongs to, where that is not the call's own. */
  taskId: string | undefined;
  /** The place of the last event, as far as this process knows. */
  place: number;
  /** The place at which the client came back last: what was shown up to there is not shown again at once. */
  resumedAt = 0;
  response: JSONRPCMessage | undefined;
  /** The task's result that the response carries, if it does. */
  receipt: Receipt | undefined;

  constructor(stream: string, request: JSONRPCRequest, kind: Repeatable, limits: SessionLimits, place = 0) {
    this.stream = stream;
    this.request = request;
    this.kind = kind;
    this.place = place;
    this.#replay = new ReplayBuffer(limits);
  }

  get finished(): boolean {
    return this.response !== undefined;
  }

  /** Resolves when the first message was written, or when none will be. */
  first(): Promise<void> {
    return this.place > 0 || this.finished ? Promise.resolve() : new Promise((resolve) => this.#onFirst.push(resolve));
  }

  /** Nothing will be written any more. */
  abandon(): void {
    for (const resolve of this.#onFirst.splice(0)) resolve();
    this.detach();
  }

  /**
   * Gives the in-flight request a stream, in place of the one before, and sends again what the client lost.
   *
   * @param prime whether the client understands an event without data, which tells it the cursor at once.
   */
  sendOn(sse: SseStream, after: number, prime: { readonly retryMs: number } | undefined, onDetached: () => void): void {
    this.#release?.();
    this.#sse = sse;
    sse.carries = this.stream;
    this.#shown = after;
    this.#release = sse.acquire(() => {
      if (this.#sse !== sse) return;
      this.detach();
      onDetached();
    });
    if (prime !== undefined)
      void sse.write({ id: formatEventId(this.stream, after), data: "", retryMs: prime.retryMs });
    for (const { place, data, onSent } of this.#replay.after(after)) {
      void sse.write({ id: formatEventId(this.stream, place), data, onSent });
    }
    if (this.finished && this.kind !== "journal") this.detach();
  }

  /** Ends the present stream; its client comes back after `retryMs`. */
  end(retryMs: number): void {
    this.#sse?.tellRetry(retryMs);
    this.detach();
  }

  detach(): void {
    const release = this.#release;
    this.#sse = undefined;
    this.#release = undefined;
    release?.();
  }

  /** Writes a message to the client; resolves when there is room for the next. */
  async write(message: JSONRPCMessage): Promise<void> {
    const data = JSON.stringify(message);
    const place = this.#placeOf(message);
    const { receipt } = this;
    const onSent = receipt !== undefined && isCompletedResponse(message) ? () => receipt.sent() : undefined;
    if (onSent !== undefined) receipt?.sending();
    if (this.kind !== "journal" && place !== undefined) this.#replay.add({ place, data, onSent });
    for (const resolve of this.#onFirst.splice(0)) resolve();
    await this.#sse?.write({ ...(place === undefined ? {} : { id: formatEventId(this.stream, place) }), data, onSent });
  }

  /** A message about a journal's event stands at its seq; one about nothing in the journal moves no cursor. */
  #placeOf(message: JSONRPCMessage): number | undefined {
    const place = this.kind === "journal" ? metaOf(message, metaKeys.seq) : this.place + 1;
    if (typeof place !== "number") return undefined;
    this.place = Math.max(place, this.place);
    // A question stands at the event that asked it, which may be before what received since: no cursor goes back.
    this.#shown = Math.max(place, this.#shown);
    return this.#shown;
  }
}

/** Reads a key of a message's `_meta`, wherever that kind of message has it. */
export function metaOf(message: JSONRPCMessage, key: string): unknown {
  const body = "result" in message ? message.result : "params" in message ? message.params : undefined;
  const meta: unknown = isJsonObject(body) ? Reflect.get(body, "_meta") : undefined;
  return isJsonObject(meta) ? meta[key] : undefined;
}
