import { type HttpAnswer, type HttpHandler, local, ofWebRequest } from "@resumable-mcp/mcp";
import type { Random } from "../world/random.js";
import type { Actor, World } from "../world/world.js";
import type { Worker } from "./worker.js";

/** A request over HTTP. */
export interface HttpMessage {
  readonly method: "POST" | "GET";
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
}

/** What a caller learns of the answer, in order. */
export interface HttpListener {
  head(status: number, headers: { readonly [name: string]: string }): void;
  text(text: string): void;
  /** The answer is whole. */
  end(): void;
  /** The connection broke before that. */
  broken(): void;
}

interface HttpCallOptions {
  readonly world: World;
  readonly caller: Actor;
  readonly worker: Worker;
  readonly handler: HttpHandler;
  readonly message: HttpMessage;
  readonly listener: HttpListener;
  /** Called when the server's side accepted the last byte while the connection was open. */
  readonly onAccepted: () => void;
}

/**
 * One request over one connection: bytes take time and arrive in order; either side can cut it, and the other learns of
 * it later or, where the connection is half open, not at all.
 */
export class HttpCall {
  readonly #options: HttpCallOptions;
  readonly #random: Random;
  readonly #cut = new AbortController();
  #isOpen = true;
  #isOver = false;
  #lastArrivalMs = 0;

  constructor(options: HttpCallOptions) {
    this.#options = options;
    this.#random = options.world.random.fork();
    const { world, worker } = options;
    world.after(this.#delay(), () => void this.#serve(), worker.actor);
    worker.onDeath(() => this.#breakAtCaller());
  }

  /** The caller closes the connection. */
  cut(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#isOver = true;
    const { world, worker } = this.#options;
    world.after(this.#delay(), () => this.#cut.abort(), worker.actor);
  }

  #delay(): number {
    return this.#random.between(0.2, 5);
  }

  async #serve(): Promise<void> {
    const { message, handler } = this.#options;
    if (this.#cut.signal.aborted) return;
    const { method, headers, body } = message;
    const request = new Request("http://127.0.0.1:8001/mcp", { method, headers, body, signal: this.#cut.signal });
    const answer = await handler.answer(ofWebRequest(request), { locality: local }).catch(() => undefined);
    if (answer === undefined) return this.#breakAtCaller();
    await this.#send(answer);
  }

  async #send({ status, headers, body, onSent }: HttpAnswer): Promise<void> {
    const { listener } = this.#options;
    this.#toCaller(() => listener.head(status, headers));
    if (typeof body !== "object") {
      if (body !== undefined) this.#toCaller(() => listener.text(body));
      this.#accepted(onSent, true);
      this.#toCaller(() => this.#finish());
      return;
    }
    const decoder = new TextDecoder();
    const pump = () => {
      while (this.#isOpen) {
        const { text, onSent: sent } = body.take(16_384);
        const decoded = typeof text === "string" ? text : decoder.decode(text, { stream: true });
        if (decoded.length > 0) this.#toCaller(() => listener.text(decoded));
        this.#accepted(sent, body.ended);
        if (decoded.length > 0) continue;
        if (body.ended) this.#toCaller(() => this.#finish());
        return;
      }
    };
    this.#cut.signal.addEventListener("abort", () => body.cancel(), { once: true });
    body.follow(pump);
    pump();
  }

  /** As the kernel does it: in a later turn, unless the connection is known to be closed by then. */
  #accepted(onSent: (() => void) | undefined, isLast: boolean): void {
    const { world, worker, onAccepted } = this.#options;
    if (onSent === undefined) return;
    world.nextTurn(() => {
      if (this.#cut.signal.aborted) return;
      if (isLast) onAccepted();
      onSent();
    }, worker.actor);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    this.#options.listener.end();
  }

  #breakAtCaller(): void {
    if (!this.#isOpen) return;
    this.#toCaller(() => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#isOpen = false;
      this.#options.listener.broken();
    });
  }

  #toCaller(run: () => void): void {
    const { world, caller } = this.#options;
    const atMs = Math.max(this.#lastArrivalMs, world.nowMs + this.#delay()) + 0.001;
    this.#lastArrivalMs = atMs;
    world.after(atMs - world.nowMs, () => !this.#isOver && run(), caller);
  }
}
