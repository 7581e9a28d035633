import type { SessionLimits } from "./session-limits.js";

/** One event of a stream. */
export interface SseEvent {
  readonly id?: string;
  readonly data: string;
  readonly retryMs?: number;
}

type StreamLimits = Pick<SessionLimits, "maxStreamBytes" | "maxStallMs" | "keepAliveMs">;

const encoder = new TextEncoder();

/**
 * One stream of server-sent events to one client.
 *
 * Ordering: as written. Limits: beyond `maxStreamBytes` unread bytes a write resolves only when there is room again; a
 * client that reads nothing for `maxStallMs` is cut off and may come back.
 */
export class SseStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #limits: StreamLimits;
  readonly #timer: NodeJS.Timeout;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #room: (() => void)[] = [];
  #users = 0;
  #onClosed: (() => void)[] = [];

  constructor(limits: StreamLimits, onClosed: () => void = () => {}) {
    this.#limits = limits;
    this.#onClosed.push(onClosed);
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake(),
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: limits.maxStreamBytes }),
    );
    this.#timer = setInterval(() => this.#keepAlive(), limits.keepAliveMs).unref();
  }

  get closed(): boolean {
    return this.#controller === undefined;
  }

  /** Writes an event; a closed stream drops it. Resolves when there is room for the next. */
  async write({ id, data, retryMs }: SseEvent): Promise<void> {
    const controller = this.#controller;
    if (controller === undefined) return;
    const head = `${id === undefined ? "" : `id: ${id}\n`}${retryMs === undefined ? "" : `retry: ${retryMs}\n`}`;
    controller.enqueue(encoder.encode(`${data === "" ? "" : "event: message\n"}${head}data: ${data}\n\n`));
    if ((controller.desiredSize ?? 1) <= 0) await this.#waitForRoom();
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

  close(): void {
    const controller = this.#controller;
    this.#end();
    controller?.close();
  }

  #end(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
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
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(encoder.encode(": keep-alive\n\n"));
  }
}
