import type { Engine } from "@resumable-mcp/core";
import { type Fate, idleLimitMs } from "../world/network.js";
import type { Random } from "../world/random.js";
import type { Actor, World } from "../world/world.js";
import type { Worker } from "./worker.js";

/** The other side died, or did not answer in time. What was asked may have taken effect. */
export class ConnectionLost extends Error {}

/** Messages that pass before a break. */
const lengths = [1, 5, 40];
/** A caller whose connection is silent gives it up after at most this time. */
const maxSilenceMs = 20_000;

/**
 * A connection from a caller to a worker: messages take time, arrive in order, and stop when either side dies. Neither
 * side sees the other's promises.
 */
export class Connection {
  readonly #world: World;
  readonly #random: Random;
  readonly #caller: Actor;
  readonly worker: Worker;
  readonly #fate: Fate;
  readonly #forget: () => void;
  #isOpen = true;
  /** Half open: what is sent arrives nowhere. */
  #isSilent = false;
  #passed = 0;
  #lastArrivalMs = 0;
  readonly #onBreak: ((error: Error) => void)[] = [];
  readonly #broken = new AbortController();

  constructor(world: World, caller: Actor, worker: Worker) {
    this.#world = world;
    this.#random = world.random.fork();
    this.#caller = caller;
    this.worker = worker;
    this.#fate = world.network.drawFate(this.#random, lengths);
    this.#forget = world.network.add(this);
    worker.onDeath(() => this.break("the worker died"));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Aborts at the worker when the connection ends. */
  get signal(): AbortSignal {
    return this.#broken.signal;
  }

  /** Ends the connection; what was sent before still arrives. */
  break(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#forget();
    if (!this.#isSilent) this.#world.nextTurn(() => this.#broken.abort(), this.worker.actor);
    for (const run of this.#onBreak) this.#toCaller(() => run(new ConnectionLost(reason)));
  }

  breakDown(isSilent: boolean): void {
    if (!isSilent) {
      this.break("the network failed");
      return;
    }
    this.#isSilent = true;
    this.#world.after(idleLimitMs, () => this.#broken.abort(), this.worker.actor);
    this.#world.after(this.#random.between(0, maxSilenceMs), () => this.break("there was silence"), this.#caller);
  }

  /** Calls back at the caller when the connection ends. */
  onBreak(run: (error: Error) => void): void {
    if (this.#isOpen) this.#onBreak.push(run);
    else this.#toCaller(() => run(new ConnectionLost("the connection was closed")));
  }

  /**
   * Runs code at the worker and brings back what it gives. @throws {@link ConnectionLost} also after `timeoutMs`.
   */
  ask<Value>(code: (engine: Engine) => Promise<Value>, timeoutMs = 30_000): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.onBreak(reject);
      this.#world.after(timeoutMs, () => reject(new ConnectionLost("there was no answer in time")), this.#caller);
      this.#toWorker((engine) => {
        code(engine).then(
          (value) => this.#send(() => resolve(value)),
          (error: unknown) => this.#send(() => reject(error)),
        );
      });
    });
  }

  /** Runs code at the worker that sends messages as it goes. */
  stream<Message>(
    code: (engine: Engine, send: (message: Message) => void) => Promise<void>,
    receive: (message: Message) => void,
    failed: (error: unknown) => void,
  ): void {
    this.onBreak(failed);
    this.#toWorker((engine) => {
      code(engine, (message) => this.#send(() => receive(message))).catch((error: unknown) =>
        this.#send(() => failed(error)),
      );
    });
  }

  #toWorker(code: (engine: Engine) => void): void {
    const { worker } = this;
    if (this.#fate.losesRequest) {
      this.breakDown(this.#fate.isSilent);
      return;
    }
    this.#world.after(this.#delayMs(), () => this.#isOpen && !this.#isSilent && code(worker.engine), worker.actor);
  }

  #send(run: () => void): void {
    if (!this.#isOpen || this.#isSilent || !this.worker.isAlive) return;
    this.#passed += 1;
    if (this.#passed > this.#fate.breaksAfter) this.breakDown(this.#fate.isSilent);
    else this.#toCaller(run);
  }

  #toCaller(run: () => void): void {
    const atMs = Math.max(this.#lastArrivalMs, this.#world.nowMs + this.#delayMs()) + 0.001;
    this.#lastArrivalMs = atMs;
    this.#world.after(atMs - this.#world.nowMs, run, this.#caller);
  }

  #delayMs(): number {
    return this.#world.network.delayMs(this.#random);
  }
}
