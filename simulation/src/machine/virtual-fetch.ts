import type { Actor, World } from "../world/world.js";
import { HttpCall } from "./http-call.js";
import type { HttpMessage } from "./received-request.js";
import type { Worker } from "./worker.js";

interface VirtualFetchOptions {
  readonly world: World;
  /** A worker that can be reached now. */
  readonly pickWorker: () => Worker | undefined;
  /** A connection that was open accepted the last byte of an answer to an actor. */
  readonly onAccepted: (caller: Actor, request: HttpMessage) => void;
}

/** Node's `fetch` gives up when nothing comes for so long. */
const silenceMs = 300_000;

/**
 * Takes the place of `fetch`: requests go to the workers over the simulated network, in the name of the actor that makes
 * them. An actor stays with a worker for as long as that lives, as connections that are kept do.
 */
export class VirtualFetch {
  readonly #options: VirtualFetchOptions;
  readonly #workers = new Map<Actor, Worker>();
  readonly #calls = new Map<Actor, Set<HttpCall>>();

  constructor(options: VirtualFetchOptions) {
    this.#options = options;
  }

  readonly fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, { method: init?.method, headers: init?.headers });
    const body = typeof init?.body === "string" ? init.body : undefined;
    return new Promise((resolve, reject) => this.#send(request, body, init?.signal, resolve, reject));
  };

  /** An actor ended: its connections are closed. */
  leave(actor: Actor): void {
    for (const call of this.#calls.get(actor) ?? []) call.cut();
    this.#calls.delete(actor);
  }

  #send(
    { method, headers }: Request,
    body: string | undefined,
    signal: AbortSignal | null | undefined,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ): void {
    const { world, onAccepted } = this.#options;
    const caller = world.current;
    const worker = this.#workerOf(caller);
    if (worker === undefined || !caller.isAlive) {
      world.after(1, () => reject(failure("fetch failed", "ECONNREFUSED")));
      return;
    }
    const answer = new StreamedAnswer(resolve, reject, () => end());
    const onAbort = () => answer.fail(signal?.reason);
    const end = () => {
      this.#calls.get(caller)?.delete(call);
      signal?.removeEventListener("abort", onAbort);
      stopWaiting();
      call.cut();
    };
    const message = { method: method as HttpMessage["method"], headers: Object.fromEntries(headers), body };
    const call = new HttpCall({
      world,
      caller,
      worker,
      message,
      listener: {
        head: (status, given) => answer.head(status, given),
        text: (text) => {
          wait();
          answer.text(text);
        },
        end: () => answer.end(),
        broken: () => answer.fail(failure(answer.hasHead ? "terminated" : "fetch failed", "ECONNRESET")),
      },
      onAccepted: () => onAccepted(caller, message),
    });
    let stopWaiting = () => {};
    const wait = () => {
      stopWaiting();
      stopWaiting = world.after(silenceMs, () => answer.fail(failure("terminated", "UND_ERR_BODY_TIMEOUT")), caller);
    };
    wait();
    this.#noteCall(caller, call);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
  }

  #workerOf(caller: Actor): Worker | undefined {
    const known = this.#workers.get(caller);
    const worker = known?.isAlive === true ? known : this.#options.pickWorker();
    if (worker !== undefined) this.#workers.set(caller, worker);
    return worker;
  }

  #noteCall(caller: Actor, call: HttpCall): void {
    const calls = this.#calls.get(caller) ?? new Set();
    calls.add(call);
    this.#calls.set(caller, calls);
  }
}

/** An answer as `fetch` gives it: its head first, and a body that comes as it does. */
class StreamedAnswer {
  hasHead = false;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onEnd: () => void;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOver = false;

  constructor(resolve: (response: Response) => void, reject: (error: unknown) => void, onEnd: () => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onEnd = onEnd;
  }

  head(status: number, headers: { readonly [name: string]: string }): void {
    this.hasHead = true;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => void this.#finish(),
    });
    this.#resolve(new Response(status === 204 ? null : body, { status, headers }));
  }

  text(text: string): void {
    if (!this.#isOver) this.#controller?.enqueue(this.#encoder.encode(text));
  }

  end(): void {
    if (this.#finish()) this.#controller?.close();
  }

  fail(error: unknown): void {
    if (!this.#finish()) return;
    if (this.hasHead) this.#controller?.error(error);
    else this.#reject(error);
  }

  /** @returns false where it was over before. */
  #finish(): boolean {
    const wasOver = this.#isOver;
    this.#isOver = true;
    if (!wasOver) this.#onEnd();
    return !wasOver;
  }
}

/** What Node's `fetch` throws. */
function failure(message: string, code: string): Error {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) });
}
