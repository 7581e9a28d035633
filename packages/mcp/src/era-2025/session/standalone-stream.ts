import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@resumable-mcp/core";
import type { SseStream } from "../../http/sse-stream.js";
import { limits, type SessionLimits } from "../../limits.js";
import { randomToken } from "../../owner/random-token.js";
import type { Place } from "./event-id.js";
import type { Prime } from "./prime.js";
import { type SessionDocument, withMail, withoutMail } from "./session-document.js";
import { SessionStream } from "./session-stream.js";

/**
 * The stream of what belongs to no request. Of the processes that have a session in memory, one carries it; the others leave
 * their messages in the session's document, where that one finds them.
 *
 * Most sessions never have one. Limits: `maxMail`, `maxMailBytes`; messages arrive after `mailAfterMs` and `checkSessionMs`
 * at most. What is sent while no process carries a stream is not kept, as the specification allows.
 *
 * Source: MCP 2025-11-25, Transports, "Listening for Messages from the Server".
 */
export class StandaloneStream {
  readonly #document: SessionDocument;
  readonly #limits: SessionLimits;
  readonly #onError: (error: unknown) => void;
  #made: SessionStream | undefined;
  /** Messages of other processes that are sent, and still to be removed from the document. */
  #taken: ReadonlySet<string> = new Set();
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(document: SessionDocument, limits: SessionLimits, onError: (error: unknown) => void) {
    this.#document = document;
    this.#limits = limits;
    this.#onError = onError;
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

  /** Lets a response carry it. Durability: from then on other processes know where their messages go, if the store can write. */
  async sendOn(sse: SseStream, after: Place, prime: Prime): Promise<void> {
    const { name: standalone } = this.#stream;
    this.#stream.sendOn(sse, after, prime);
    const own = new Set((this.#document.value.mail ?? []).flatMap(({ id, from }) => (from === standalone ? [id] : [])));
    if (own.size > 0) this.#document.note((facts) => withoutMail(facts, own), limits.mailAfterMs, this.#onError);
    if (this.#document.value.standalone === standalone) return;
    // The client must have its stream, also while the store cannot write.
    await this.#document.change((facts) => ({ ...facts, standalone })).catch(this.#onError);
  }

  /** Sends a message here, or leaves it for the process that carries the stream. */
  async send(message: JSONRPCMessage): Promise<void> {
    await this.#stream.write(message);
    if (this.isCarried) return;
    const nowMs = performance.now();
    if (nowMs - this.#readMs >= this.#limits.checkSessionMs) {
      this.#readMs = nowMs;
      await this.#document.refresh().catch(this.#onError);
    }
    const { name: from } = this.#stream;
    const { standalone } = this.#document.value;
    if (standalone === undefined || standalone === from || isAboutSubscription(message)) return;
    const copy: JsonObject = JSON.parse(JSON.stringify(message));
    const mail = { id: randomToken(9), from, message: copy };
    this.#document.note((facts) => withMail(facts, mail), limits.mailAfterMs, this.#onError);
  }

  /** Sends what other processes left, as the document says that was read last. */
  async takeMail(): Promise<void> {
    const { mail = [] } = this.#document.value;
    if (!this.isCarried) return;
    const others = mail.filter(({ id, from }) => from !== this.#stream.name && !this.#taken.has(id));
    if (others.length === 0) return;
    this.#taken = new Set(mail.map(({ id }) => id));
    const taken = this.#taken;
    this.#document.note((facts) => withoutMail(facts, taken), limits.mailAfterMs, this.#onError);
    for (const { message } of others) await this.#stream.write(message as unknown as JSONRPCMessage);
  }
}

/** The process that carries the stream has the subscription, too. */
function isAboutSubscription(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "notifications/resources/updated";
}
