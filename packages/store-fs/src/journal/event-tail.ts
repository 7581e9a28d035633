import type { TaskEvent } from "@resumable-mcp/core/store";
import { deepFreeze } from "../disk/json.js";

/** The events of one commit: as JSON until they are asked for, since most never are. */
export type TailEvents = string | readonly TaskEvent[];

interface TailCommit {
  events: TailEvents;
  readonly count: number;
  readonly lastSeq: number;
  readonly bytes: number;
}

/**
 * The newest events of a journal, as many as the limits allow, for those who follow it live.
 *
 * It keeps nothing before events are asked for: most tasks have no followers, or are followed from the beginning on.
 */
export class EventTail {
  #isFollowed = false;
  readonly #commits: TailCommit[] = [];
  #events = 0;
  #size = 0;
  readonly #limits: { readonly maxTailEvents: number; readonly maxTailBytes: number };

  constructor(limits: { readonly maxTailEvents: number; readonly maxTailBytes: number }) {
    this.#limits = limits;
  }

  /** How many bytes the commits take in the journal. */
  get bytes(): number {
    return this.#size;
  }

  /** Adds the events that follow those it has. */
  add(commit: Readonly<TailCommit>): void {
    if (commit.count === 0 || !this.#isFollowed) return;
    this.#commits.push({ ...commit });
    this.#events += commit.count;
    this.#size += commit.bytes;
    while (this.#events > this.#limits.maxTailEvents || this.#size > this.#limits.maxTailBytes) {
      const oldest = this.#commits.shift();
      if (oldest === undefined) return;
      this.#events -= oldest.count;
      this.#size -= oldest.bytes;
    }
  }

  /** The events behind a cursor up to a seq, or `undefined` when it does not reach back so far. */
  between(afterSeq: number, lastSeq: number, limit: number): readonly TaskEvent[] | undefined {
    this.#isFollowed = true;
    const [first] = this.#commits;
    if (first === undefined || first.lastSeq - first.count > afterSeq) return undefined;
    const found: TaskEvent[] = [];
    for (const commit of this.#commits) {
      if (commit.lastSeq <= afterSeq) continue;
      for (const event of eventsOf(commit)) {
        if (event.seq > lastSeq || found.length >= limit) return found;
        if (event.seq > afterSeq) found.push(event);
      }
    }
    return found;
  }
}

/** Those who follow a task share what they are given, so that it is frozen. */
function eventsOf(commit: TailCommit): readonly TaskEvent[] {
  const { events } = commit;
  // The store has written this text itself.
  const parsed: readonly TaskEvent[] = typeof events === "string" ? JSON.parse(events) : events;
  commit.events = deepFreeze(parsed);
  return parsed;
}
