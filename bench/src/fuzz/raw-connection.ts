import { connect, type Socket } from "node:net";
import { type ResponseHead, ResponseParser } from "./response-parser.js";

/** A request that was sent, and what has come of it so far. */
export class RawResponse {
  readonly isHead: boolean;
  head: ResponseHead | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The whole response has come. */
  complete = false;
  /** Nothing more comes. */
  over = false;
  /** Why the bytes that came are no response. */
  nonsense: string | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(isHead: boolean) {
    this.isHead = isHead;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  onHead(head: ResponseHead): void {
    this.head = head;
    this.#changed();
  }

  onBody(bytes: Buffer): void {
    // Of an endless stream the beginning is enough.
    if (this.#bytes < maxBodyBytes) this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#changed();
  }

  onEnd(): void {
    this.complete = true;
    this.finish();
  }

  finish(): void {
    this.over = true;
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits until something is true of it, it is over, or the time is: `false`. */
  async until(isTrue: () => boolean, limitMs: number): Promise<boolean> {
    const end = performance.now() + limitMs;
    while (!isTrue() && !this.over) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
    return isTrue();
  }
}

const maxBodyBytes = 16 * 1024 * 1024;

/** A connection to the server, byte by byte. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #expected: RawResponse[] = [];
  readonly #all: RawResponse[] = [];
  #lastUseMs = performance.now();

  /** @param mayGetMore whether bytes that are sent may be taken for a further request, whose answer nothing waits for. */
  constructor(port: number, mayGetMore = false) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const parser = new ResponseParser(
      () => this.#expected.shift() ?? (mayGetMore ? new RawResponse(false) : undefined),
    );
    this.#socket.on("data", (bytes) => {
      try {
        parser.feed(bytes);
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        for (const response of this.#all.slice(-1)) response.nonsense = problem;
        this.#socket.destroy();
      }
    });
    // "close" says what becomes of the requests.
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      parser.close();
      for (const response of this.#all) response.finish();
    });
  }

  /** Whether another request may be sent on it: not when its server may be about to close it. */
  get isFree(): boolean {
    const isIdle = this.#all.every(({ complete, head }) => complete && head?.headers.get("connection") !== "close");
    return isIdle && this.#socket.writable && !this.#socket.destroyed && performance.now() - this.#lastUseMs < 2_000;
  }

  /** Sends requests in pieces, one in each turn of the event loop. Each `isHead` is one response that is expected. */
  send(pieces: readonly Buffer[], isHead: readonly boolean[]): readonly RawResponse[] {
    const responses = isHead.map((one) => new RawResponse(one));
    this.#lastUseMs = performance.now();
    this.#all.splice(0, this.#all.length, ...responses);
    this.#expected.splice(0, this.#expected.length, ...responses);
    const write = ([first, ...more]: readonly Buffer[]): void => {
      if (first !== undefined && this.#socket.writable) this.#socket.write(first);
      if (more.length > 0) setImmediate(write, more);
    };
    write(pieces);
    return responses;
  }

  /** Sends no more; what was sent may still be answered. */
  endSending(): void {
    setImmediate(() => this.#socket.end());
  }

  leave(): void {
    this.#socket.destroy();
  }
}
