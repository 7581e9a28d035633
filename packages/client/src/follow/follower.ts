import type { ClientEvent } from "../client.js";
import type { TaskResult } from "../tool-result.js";

/** The events that one reader has not taken yet, and how many log messages it will never see. */
export interface EventQueue {
  readonly events: readonly ClientEvent[];
  readonly dropped: number;
}

/** A queue of a reader that is up to date. */
export const emptyEventQueue: EventQueue = { events: [], dropped: 0 };

/**
 * Adds an event and keeps the queue within its limit.
 *
 * Limits: beyond `maxQueued` the oldest progress goes first, since a later one replaces it, then the oldest log
 * message, which is counted. Questions, statuses and the rest are few and always kept.
 */
export function enqueue(queue: EventQueue, event: ClientEvent, maxQueued: number): EventQueue {
  const events = [...queue.events, event];
  if (events.length <= maxQueued) return { ...queue, events };
  const progress = events.findIndex(({ type }) => type === "progress");
  const superseded = progress >= 0 && progress < events.length - 1;
  const index = superseded ? progress : events.findIndex(({ type }) => type === "log");
  if (index < 0) return { ...queue, events };
  return { events: events.toSpliced(index, 1), dropped: queue.dropped + (superseded ? 0 : 1) };
}

/** Takes everything out; the number of dropped messages comes first. */
export function drain(queue: EventQueue): readonly ClientEvent[] {
  if (queue.dropped === 0) return queue.events;
  return [{ type: "dropped", count: queue.dropped }, ...queue.events];
}

/** Follows something to its end, telling of what happens on the way; called again after it was aborted. */
export type Follow = (emit: (event: ClientEvent) => void, signal: AbortSignal) => Promise<TaskResult>;

interface Reader {
  queue: EventQueue;
  wake: () => void;
}

/**
 * One run of following, shared by all readers of its events and all who wait for its result. It begins with its first
 * reader and stops when the last one leaves.
 *
 * An eager one begins at once, runs to its end and runs once: what it follows is a request, and a second run would send
 * that again.
 */
export class Follower {
  readonly #follow: Follow;
  readonly #maxQueued: number;
  readonly #isEager: boolean;
  readonly #readers = new Set<Reader>();
  #waiting = 0;
  #run: { readonly done: Promise<TaskResult>; readonly controller: AbortController; ended: boolean } | undefined;
  /** The reader of an eager run, which has seen everything from the beginning. */
  #first: Reader | undefined;

  constructor(follow: Follow, options: { readonly maxQueuedEvents: number; readonly eager?: boolean }) {
    this.#follow = follow;
    this.#maxQueued = options.maxQueuedEvents;
    this.#isEager = options.eager === true;
    if (!this.#isEager) return;
    this.#first = this.#join();
    this.#waiting += 1;
    this.#start();
  }

  /** Reads events from now on; ends with the task. Leaving the loop stops the following if nothing else needs it. */
  async *events(): AsyncIterableIterator<ClientEvent> {
    const reader = this.#first ?? this.#join();
    this.#first = undefined;
    const run = this.#start();
    try {
      for (;;) {
        const ended = run.ended;
        const events = drain(reader.queue);
        reader.queue = emptyEventQueue;
        yield* events;
        if (reader.queue.events.length > 0) continue;
        if (ended) break;
        // Checked and armed without a pause in between, so that no wake is missed.
        if (!run.ended) await new Promise<void>((resolve) => Object.assign(reader, { wake: resolve }));
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
    const run = { done: this.#follow(emit, controller.signal), controller, ended: false };
    const end = () => {
      run.ended = true;
      for (const reader of this.#readers) reader.wake();
    };
    // What failed can be followed again; a request that failed may have taken effect, and stays failed.
    const fail = () => {
      if (this.#run === run && !this.#isEager) this.#run = undefined;
      end();
    };
    run.done.then(end, fail);
    this.#run = run;
    return run;
  }

  #stopIfUnwanted(): void {
    if (this.#run === undefined || this.#run.ended || this.#readers.size > 0 || this.#waiting > 0) return;
    this.#run.controller.abort();
    this.#run = undefined;
  }
}
