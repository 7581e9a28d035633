import { type HttpAnswer, local } from "@resumable-mcp/mcp";
import { type Fate, idleLimitMs } from "../world/network.js";
import type { Random } from "../world/random.js";
import type { Actor, World } from "../world/world.js";
import { type HttpMessage, ReceivedRequest } from "./received-request.js";
import type { Worker } from "./worker.js";

/** What a caller learns of the answer, in order. */
interface HttpListener {
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
  readonly message: HttpMessage;
  readonly listener: HttpListener;
  /** Called when the server's side accepted the last byte of a result while the connection was open. */
  readonly onAccepted: () => void;
}

/** Characters of an answer that pass before a break: within the head, the first events, or later. */
const lengths = [1, 200, 1_000, 4_000];
/** What is taken of an answer at once; a slow reader leaves room for less. */
const takenBytes = 16_384;
const takenSlowlyBytes = 100;

/**
 * One request over one connection: bytes take time and arrive in order; either side can cut it, and the other learns of
 * it later or, where the connection is half open, not at all.
 */
export class HttpCall {
  readonly #options: HttpCallOptions;
  readonly #random: Random;
  readonly #fate: Fate;
  readonly #cut = new AbortController();
  readonly #forget: () => void;
  #isOpen = true;
  #isOver = false;
  #hasHead = false;
  #isSilent = false;
  #passed = 0;
  #lastArrivalMs = 0;
  /** When the machine of the server has it that the connection ended. */
  #endsMs = Number.POSITIVE_INFINITY;
  #repeated: HttpCall | undefined;

  constructor(options: HttpCallOptions, isRepeat = false) {
    this.#options = options;
    const { world, worker } = options;
    this.#random = world.random.fork();
    const fate = world.network.drawFate(this.#random, lengths);
    this.#fate = isRepeat ? { ...fate, isRepeated: false } : fate;
    this.#forget = world.network.add(this);
    if (fate.losesRequest) this.breakDown(fate.isSilent);
    else world.after(this.#delayMs(), () => void this.#serve(), worker.actor);
    worker.onDeath(() => this.#breakAtCaller());
  }

  /** The caller closes the connection. */
  cut(): void {
    this.#repeated?.cut();
    this.#isOver = true;
    if (!this.#isOpen) return;
    this.#close();
    this.#abortAfter(this.#delayMs());
  }

  breakDown(isSilent: boolean): void {
    if (!this.#isOpen) return;
    this.#isSilent = isSilent;
    this.#abortAfter(isSilent ? idleLimitMs : this.#delayMs());
    this.#breakAtCaller();
  }

  #close(): void {
    this.#isOpen = false;
    this.#forget();
  }

  #abortAfter(ms: number): void {
    const { world, worker } = this.#options;
    this.#endsMs = Math.min(this.#endsMs, world.nowMs + ms);
    world.after(ms, () => this.#cut.abort(), worker.actor);
  }

  #delayMs(): number {
    return this.#options.world.network.delayMs(this.#random);
  }

  async #serve(): Promise<void> {
    const { message, worker } = this.#options;
    if (this.#cut.signal.aborted) return;
    const request = new ReceivedRequest(message, this.#cut.signal);
    const answer = await worker.http.answer(request, { locality: local }).catch(() => undefined);
    if (answer === undefined) return this.#breakAtCaller();
    this.#send(answer);
  }

  #send({ status, headers, body, onSent }: HttpAnswer): void {
    const { listener } = this.#options;
    this.#toCaller(() => {
      this.#hasHead = true;
      listener.head(status, headers);
    });
    if (typeof body !== "object") {
      this.#pass(body ?? "");
      this.#accepted(onSent);
      this.#toCaller(() => this.#finish());
      return;
    }
    const decoder = new TextDecoder();
    const { readPauseMs } = this.#fate;
    let isWaiting = false;
    const pump = () => {
      while (!isWaiting && !this.#cut.signal.aborted) {
        const { text, onSent: sent } = body.take(readPauseMs > 0 ? takenSlowlyBytes : takenBytes);
        const decoded = typeof text === "string" ? text : decoder.decode(text, { stream: true });
        this.#pass(decoded);
        this.#accepted(sent);
        if (body.ended && decoded.length === 0) this.#toCaller(() => this.#finish());
        if (decoded.length === 0) return;
        isWaiting = readPauseMs > 0;
        if (isWaiting) this.#options.world.after(readPauseMs, resume, this.#options.worker.actor);
      }
    };
    const resume = () => {
      isWaiting = false;
      pump();
    };
    this.#cut.signal.addEventListener("abort", () => body.cancel(), { once: true });
    body.follow(pump);
    pump();
  }

  /** Sends text to the caller, up to where the connection breaks. */
  #pass(text: string): void {
    const part = text.slice(0, this.#fate.breaksAfter - this.#passed);
    this.#passed += part.length;
    if (part.length > 0) this.#toCaller(() => this.#options.listener.text(part));
    if (this.#passed >= this.#fate.breaksAfter) this.breakDown(this.#fate.isSilent);
  }

  /** As the kernel does it: in a later turn or at once, unless the process knows by then that the connection is closed. */
  #accepted(onSent: (() => void) | undefined): void {
    const { world, worker, onAccepted } = this.#options;
    if (onSent === undefined) return;
    const { hasPhases } = world;
    const accept = () => {
      if (this.#cut.signal.aborted) return;
      // What a frozen process writes when it continues may go to a caller that left meanwhile.
      if (!hasPhases || world.nowMs < this.#endsMs) onAccepted();
      onSent();
    };
    if (hasPhases) accept();
    else world.nextTurn(accept, worker.actor);
  }

  #finish(): void {
    this.#isOver = true;
    this.#close();
    this.#options.listener.end();
  }

  #breakAtCaller(): void {
    if (!this.#isOpen) return;
    this.#close();
    if (this.#isSilent) return;
    this.#arrive(() => {
      if (this.#fate.isRepeated && !this.#hasHead && this.#options.worker.isAlive) {
        this.#repeated = new HttpCall(this.#options, true);
        return;
      }
      this.#isOver = true;
      this.#options.listener.broken();
    });
  }

  #toCaller(run: () => void): void {
    if (this.#isOpen) this.#arrive(run);
  }

  #arrive(run: () => void): void {
    const { world, caller } = this.#options;
    const atMs = Math.max(this.#lastArrivalMs, world.nowMs + this.#delayMs()) + 0.001;
    this.#lastArrivalMs = atMs;
    world.after(atMs - world.nowMs, () => !this.#isOver && run(), caller);
  }
}
