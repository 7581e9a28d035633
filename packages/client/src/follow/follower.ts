import type { ClientEvent } from "../client-event.js";
import type { TaskResult } from "../tasks/tool-result.js";
import { drain, type EventQueue, emptyEventQueue, enqueue } from "./event-queue.js";

/** Follows something to its end, telling of what happens on the way; called again after it was aborted. */
export type Follow = (emit: (event: ClientEvent) => void, signal: AbortSignal) => Promise<TaskResult>;

/** One run of following, shared by all who read its events or wait for its result. */
export interface Follower {
  /** Reads events from now on; ends with the task. Leaving the loop stops the following if nobody else needs it. */
  events(): AsyncIterableIterator<ClientEvent>;
  result(): Promise<TaskResult>;
}

/**
 * Creates a follower that begins with its first reader and pauses when the last one leaves.
 *
 * An eager one begins at once, runs to its end and runs once: what it follows is a request, and a second run would send
 * that again.
 */
export function createFollower(
  follow: Follow,
  options: { readonly maxQueuedEvents: number; readonly eager?: boolean },
): Follower {
  const follower = new SharedFollower(follow, options.maxQueuedEvents);
  if (options.eager === true) follower.startEagerly();
  return follower;
}

interface Reader {
  queue: EventQueue;
  wake: () => void;
}

class SharedFollower implements Follower {
  readonly #follow: Follow;
  readonly #maxQueued: number;
  readonly #readers = new Set<Reader>();
  #waiting = 0;
  #isEager = false;
  #run: { readonly done: Promise<TaskResult>; readonly controller: AbortController; settled: boolean } | undefined;
  /** The reader of an eager run, which has seen everything from the beginning. */
  #first: Reader | undefined;

  constructor(follow: Follow, maxQueued: number) {
    this.#follow = follow;
    this.#maxQueued = maxQueued;
  }

  startEagerly(): void {
    this.#isEager = true;
    this.#first = this.#join();
    this.#waiting += 1;
    this.#start();
  }

  async *events(): AsyncIterableIterator<ClientEvent> {
    const reader = this.#first ?? this.#join();
    this.#first = undefined;
    const run = this.#start();
    try {
      for (;;) {
        const settled = run.settled;
        const events = drain(reader.queue);
        reader.queue = emptyEventQueue;
        yield* events;
        if (reader.queue.events.length > 0) continue;
        if (settled) break;
        // Checked and armed without a pause in between, so that no wake is missed.
        if (!run.settled) await new Promise<void>((resolve) => Object.assign(reader, { wake: resolve }));
      }
      await run.done;
    } finally {
      this.#readers.delete(reader);
      this.#stopIfUnwanted();
    }
  }

  async result(): Promise<TaskResult> {
    this.#waiting += 1;
    try {
      return await this.#start().done;
    } finally {
      this.#waiting -= 1;
      this.#stopIfUnwanted();
    }
  }

  #join(): Reader {
    const reader: Reader = { queue: emptyEventQueue, wake: () => {} };
    this.#readers.add(reader);
    return reader;
  }

  #start() {
    if (this.#run !== undefined) return this.#run;
    const controller = new AbortController();
    const emit = (event: ClientEvent) => {
      for (const reader of this.#readers) {
        reader.queue = enqueue(reader.queue, event, this.#maxQueued);
        reader.wake();
      }
    };
    const run = { done: this.#follow(emit, controller.signal), controller, settled: false };
    const settle = () => {
      run.settled = true;
      for (const reader of this.#readers) reader.wake();
    };
    // What failed can be followed again; a request that failed may have taken effect, and stays failed.
    const fail = () => {
      if (this.#run === run && !this.#isEager) this.#run = undefined;
      settle();
    };
    run.done.then(settle, fail);
    this.#run = run;
    return run;
  }

  #stopIfUnwanted(): void {
    if (this.#run === undefined || this.#run.settled || this.#readers.size > 0 || this.#waiting > 0) return;
    this.#run.controller.abort();
    this.#run = undefined;
  }
}
