import { MemoryDisk } from "@resumable-mcp/store-fs/testing";
import { EventQueue, type QueuedEvent } from "./event-queue.js";
import { Network } from "./network.js";
import { Random } from "./random.js";
import { VirtualFiles } from "./virtual-files.js";

/**
 * Who does something: a process or a caller. Code runs in the name of the actor whose event began the turn, so
 * its timers die with it, and its clock is the one that it sees.
 */
export interface Actor {
  readonly name: string;
  /** Nothing that a dead actor began happens. */
  isAlive: boolean;
  /** What happens to a frozen actor waits until this moment of virtual time. */
  frozenUntilMs: number;
  /** What its wall clock is ahead of virtual time. */
  wallAheadMs: number;
  /** How much faster than virtual time its clocks run: 0.001 is a second in 1,000. */
  drift: number;
  /** Called before each of its turns; it may die there. */
  beforeTurn: (() => void) | undefined;
}

interface Turn extends QueuedEvent {
  atMs: number;
  order: number;
  /** How many turns that were put off led to it, one after the other: 0 where something came from outside, or in time. */
  readonly putOff: number;
  readonly actor: Actor;
  readonly run: () => void;
  isCancelled: boolean;
}

/** 2026-01-01T00:00:00Z, when every world begins. */
const beginMs = 1_767_225_600_000;

/** Above the numbers of the workers. */
const firstPid = 100_000;

/** The real end of a turn: all promises of it are through. Taken before the globals are replaced. */
const realImmediate = setImmediate;

/** A process that was frozen has heard of all that came meanwhile after this time: less than until a turn that is put off. */
const heardMs = 0.000_5;

/** Turns in one round of Node's real event loop. */
const turnsPerRound = 64;

/** Makes an actor that lives, with a right clock. */
export function newActor(name: string): Actor {
  return { name, isAlive: true, frozenUntilMs: 0, wallAheadMs: 0, drift: 0, beforeTurn: undefined };
}

/**
 * One run: virtual time, and everything that is to happen in it.
 *
 * Between two events all microtasks run to their end. Nothing else moves, so a run depends on its seed alone.
 */
export class World {
  readonly random: Random;
  readonly network = new Network(() => this.nowMs);
  /** Of programs that use Node's own names for files. */
  readonly files = new VirtualFiles(this, new MemoryDisk());
  /**
   * Event loops have phases, as Node's has: what a process writes is taken in the same turn, also where the other side closed
   * the connection and the process has not heard of that; and of what came while it was frozen it hears before it does what
   * was put off twice. Without phases a write is taken in a later turn, and all turns are alike.
   */
  hasPhases = false;
  /** Takes the place of Node's. */
  fetch: typeof globalThis.fetch | undefined;
  /** Of the one who directs: it never dies. */
  readonly director: Actor = newActor("director");
  /** In whose name code runs now. */
  current: Actor = this.director;
  /** Milliseconds since the world began. */
  nowMs = 0;
  turns = 0;
  /** How often random bytes were fetched. */
  fills = 0;
  /** Errors that would have ended a real process. */
  readonly uncaught: string[] = [];
  /** What `AbortSignal.any` made in it. */
  readonly joinedSignals: AbortSignal[] = [];
  readonly #queue = new EventQueue<Turn>();
  readonly #lastTurnMs = new WeakMap<Actor, number>();
  readonly #processes: Actor[] = [];
  #order = 0;
  /** Of the turn that runs now. */
  #putOff = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Lets something happen later in the name of an actor. @returns what calls it off. */
  after(delayMs: number, run: () => void, actor: Actor = this.current): () => void {
    return this.#add(delayMs, run, actor, 0);
  }

  #add(delayMs: number, run: () => void, actor: Actor, putOff: number): () => void {
    const turn: Turn = {
      atMs: this.nowMs + Math.max(0, delayMs) / (1 + actor.drift),
      order: this.#order++,
      putOff,
      actor,
      run,
      isCancelled: false,
    };
    this.#queue.push(turn);
    return () => {
      turn.isCancelled = true;
    };
  }

  /** The next turn of an actor's event loop; several are in order. */
  nextTurn(run: () => void, actor: Actor = this.current): () => void {
    const last = this.#lastTurnMs.get(actor) ?? 0;
    const atMs = Math.max(last, this.nowMs) + this.random.between(0.001, 0.02);
    this.#lastTurnMs.set(actor, atMs);
    const putOff = actor === this.current ? this.#putOff + 1 : 1;
    return this.#add((atMs - this.nowMs) * (1 + actor.drift), run, actor, putOff);
  }

  /** The number under which an actor's process is known to others. */
  pidOf(actor: Actor): number {
    const known = this.#processes.indexOf(actor);
    return firstPid + (known < 0 ? this.#processes.push(actor) - 1 : known);
  }

  /** Whether the process of a number lives. */
  isRunning(pid: number): boolean {
    return this.#processes[pid - firstPid]?.isAlive === true;
  }

  monotonicMs(actor: Actor = this.current): number {
    return this.nowMs * (1 + actor.drift);
  }

  wallMs(actor: Actor = this.current): number {
    return Math.floor(beginMs + this.monotonicMs(actor) + actor.wallAheadMs);
  }

  /** Notes an error that no code caught. Those of a process that just died are of no account: a real one runs no further. */
  noteUncaught(error: unknown): void {
    if (this.current.isAlive)
      this.uncaught.push(`${this.current.name}: ${error instanceof Error ? error.stack : String(error)}`);
  }

  /** Lets what runs now come to its end: errors that no code catches are known after that. */
  endTurn(): Promise<void> {
    return new Promise((resolve) => {
      realImmediate(resolve);
    });
  }

  /** Continues until nothing is left to happen before a moment, or until `isDone`. */
  runUntil(endMs: number, isDone: () => boolean = () => false): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false;
      let left = 0;
      const step = () => {
        left -= 1;
        this.current = this.director;
        if (!isOver && !this.#runNext(endMs, isDone)) {
          isOver = true;
          if (!isDone()) this.nowMs = Math.max(this.nowMs, endMs);
          resolve();
        }
        if (!isOver && left === 0) arm();
      };
      // Node drains all promises between two of these callbacks; a round of its real loop for each would cost more.
      const arm = () => {
        for (; left < turnsPerRound; left += 1) realImmediate(step);
      };
      arm();
    });
  }

  /** Begins the next turn. @returns whether there was one. */
  #runNext(endMs: number, isDone: () => boolean): boolean {
    if (isDone()) return false;
    for (;;) {
      const next = this.#queue.peek();
      if (next === undefined || next.atMs > endMs) return false;
      this.#queue.pop();
      if (next.isCancelled || !next.actor.isAlive) continue;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (next.actor.frozenUntilMs > this.nowMs) {
        next.atMs = next.actor.frozenUntilMs + (this.hasPhases && next.putOff > 1 ? heardMs : 0);
        next.order = this.#order++;
        this.#queue.push(next);
        continue;
      }
      next.actor.beforeTurn?.();
      if (!next.actor.isAlive) continue;
      this.turns += 1;
      this.current = next.actor;
      this.#putOff = next.putOff;
      try {
        next.run();
      } catch (error) {
        this.noteUncaught(error);
      }
      return true;
    }
  }
}
