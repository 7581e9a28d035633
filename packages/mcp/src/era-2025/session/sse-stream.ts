import { type TakenText, type TextSource, webBody } from "../../http/http-answer.js";
import type { SessionLimits } from "../../limits.js";

/** One event of a stream. */
export interface SseEvent {
  readonly id?: string;
  readonly data: string;
  readonly retryMs?: number;
  /** To be called when the client's connection accepted the event; never when that is in doubt. */
  readonly onSent?: (() => void) | undefined;
}

type StreamLimits = Pick<SessionLimits, "maxStreamBytes" | "maxStallMs" | "keepAliveMs">;

/**
 * One stream of server-sent events to one client.
 *
 * Ordering: as written. Limits: beyond `maxStreamBytes` unread bytes a write resolves only when there is room again; a
 * client that reads nothing for `maxStallMs` is cut off and may come back.
 */
export class SseStream implements TextSource {
  /** The name of the stream whose events it carries. */
  carries: string | undefined;
  readonly #limits: StreamLimits;
  #open = true;
  #unread: TakenText[] = [];
  #unreadBytes = 0;
  #onMore: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #room: (() => void)[] = [];
  #users = 0;
  #onClosed: (() => void)[] = [];

  constructor(limits: StreamLimits, onClosed: () => void = () => {}) {
    this.#limits = limits;
    this.#onClosed.push(onClosed);
  }

  get closed(): boolean {
    return !this.#open;
  }

  get ended(): boolean {
    return !this.#open && this.#unread.length === 0;
  }

  /** As a Web-standard body. */
  get body(): ReadableStream<Uint8Array> {
    return webBody(this);
  }

  /** Writes an event; a closed stream drops it. Resolves when there is room for the next. */
  async write({ id, data, retryMs, onSent }: SseEvent): Promise<void> {
    if (!this.#open) return;
    const head = `${id === undefined ? "" : `id: ${id}\n`}${retryMs === undefined ? "" : `retry: ${retryMs}\n`}`;
    this.#add(`${data === "" ? "" : "event: message\n"}${head}data: ${data}\n\n`, onSent);
    if (this.#isFull) await this.#waitForRoom();
  }

  /** Tells the client when to come back, in place of what it received before. Source: HTML, "Server-sent events". */
  tellRetry(retryMs: number): void {
    if (this.#open) this.#add(`retry: ${retryMs}\n\n`);
  }

  take(maxBytes: number): TakenText {
    let bytes = 0;
    let count = 0;
    for (; count < this.#unread.length && bytes < maxBytes; count++) bytes += sizeOf(this.#unread[count]?.text);
    this.#unreadBytes -= bytes;
    const taken = this.#unread.splice(0, count);
    if (count > 0) this.#wake();
    const text = taken.map((one) => one.text).join("");
    const telling = taken.flatMap(({ onSent }) => onSent ?? []);
    return telling.length === 0 ? { text } : { text, onSent: () => telling.forEach(callIt) };
  }

  follow(onMore: () => void): void {
    this.#onMore = onMore;
    if (this.ended) onMore();
    else if (this.#open) this.#timer = setInterval(() => this.#keepAlive(), this.#limits.keepAliveMs).unref();
  }

  /** Notes one more use; the stream closes by itself when the last one is given back. */
  acquire(onClosed: () => void): () => void {
    this.#users += 1;
    this.#onClosed.push(onClosed);
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      this.#onClosed = this.#onClosed.filter((listener) => listener !== onClosed);
      this.#users -= 1;
      if (this.#users === 0) this.close();
    };
  }

  /** What was written can still be read. */
  close(): void {
    if (!this.#open) return;
    this.#end();
    this.#onMore?.();
  }

  cancel(): void {
    this.#onMore = undefined;
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#end();
  }

  get #isFull(): boolean {
    return this.#unreadBytes >= this.#limits.maxStreamBytes;
  }

  #add(text: string, onSent?: () => void): void {
    this.#unread.push({ text, onSent });
    this.#unreadBytes += sizeOf(text);
    this.#onMore?.();
  }

  #end(): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#timer);
    this.#wake();
    for (const listener of this.#onClosed.splice(0)) listener();
  }

  #wake(): void {
    for (const resolve of this.#room.splice(0)) resolve();
  }

  async #waitForRoom(): Promise<void> {
    const stalled = setTimeout(() => this.close(), this.#limits.maxStallMs).unref();
    await new Promise<void>((resolve) => this.#room.push(resolve));
    clearTimeout(stalled);
  }

  #keepAlive(): void {
    if (!this.#isFull) this.#add(": keep-alive\n\n");
  }
}

function callIt(call: () => void): void {
  call();
}

function sizeOf(text: string | undefined): number {
  return Buffer.byteLength(text ?? "");
}

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
