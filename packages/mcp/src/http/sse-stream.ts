import type { SessionLimits } from "../limits.js";
import { type TokenEnd, type VerifiedToken, whenEnded } from "../owner/owner.js";
import type { TakenText, TextSource } from "./http-answer.js";

/** One event of a stream. Without `data` it only tells the client when to come back. */
export interface SseEvent {
  readonly id?: string | undefined;
  readonly data?: string;
  readonly retryMs?: number;
  /** What clients leave out. */
  readonly comment?: string;
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
  #unread: { readonly text: string; readonly onSent: (() => void) | undefined }[] = [];
  #unreadBytes = 0;
  #onMore: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #room: (() => void)[] = [];
  #users = 0;
  /** An event with an id was written. */
  #named = false;
  #closeWhenNamed = false;
  #onClosed: (() => void)[];

  constructor(limits: StreamLimits, onClosed: () => void = () => {}) {
    this.#limits = limits;
    this.#onClosed = [onClosed];
  }

  get closed(): boolean {
    return !this.#open;
  }

  get ended(): boolean {
    return !this.#open && this.#unread.length === 0;
  }

  /** Writes an event; a closed stream drops it. Resolves when there is room for the next. */
  async write(event: SseEvent): Promise<void> {
    if (!this.#open) return;
    const text = formatEvent(event);
    this.#unread.push({ text, onSent: event.onSent });
    this.#unreadBytes += sizeOf(text);
    this.#onMore?.();
    this.#named ||= event.id !== undefined;
    if (this.#named && this.#closeWhenNamed) return this.close();
    if (this.#isFull) await this.#waitForRoom();
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

  /**
   * Closes when its reader's token counts no more.
   *
   * @param once.named where the token expires, only when it has written an event with an id: before, its reader could not come
   * back for the rest.
   */
  closeWith(token: VerifiedToken | undefined, once: { readonly named: boolean }): void {
    if (!this.#open) return;
    const close = (why: TokenEnd) => {
      if (this.#named || !once.named || why === "revoked") this.close();
      else this.#closeWhenNamed = true;
    };
    this.#onClosed.push(whenEnded(token, close));
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
    if (!this.#isFull) void this.write({ comment: "keep-alive" });
  }
}

/** Source: HTML, "Server-sent events". */
function formatEvent({ id, data, retryMs, comment }: SseEvent): string {
  if (comment !== undefined) return `: ${comment}\n\n`;
  const name = data === undefined || data === "" ? "" : "event: message\n";
  const head = `${id === undefined ? "" : `id: ${id}\n`}${retryMs === undefined ? "" : `retry: ${retryMs}\n`}`;
  return `${name}${head}${data === undefined ? "" : `data: ${data}\n`}\n`;
}

function callIt(call: () => void): void {
  call();
}

function sizeOf(text: string | undefined): number {
  return Buffer.byteLength(text ?? "");
}
