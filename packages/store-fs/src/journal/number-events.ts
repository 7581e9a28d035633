import { deepFreeze } from "@resumable-mcp/core/internal";
import { copyJson, type Instant, type TaskEvent, type TaskEventBody } from "@resumable-mcp/core/store";
import { encodeLine } from "../disk/checked-line.js";

let newest = { ms: Number.NaN, text: "" };

/** Many commits share a millisecond, and writing a date costs as much as many a line. */
function isoTime(ms: number): string {
  if (newest.ms !== ms) newest = { ms, text: new Date(ms).toISOString() };
  return newest.text;
}

/**
 * Copies events and gives them their place and time; what an event says of these itself does not count.
 *
 * @throws {@link ResumableError} `NOT_JSON`; a `TypeError` for what is not an event.
 */
export function numberEvents(request: {
  readonly events: readonly TaskEventBody[];
  readonly afterSeq: number;
  readonly now: Instant;
}): readonly TaskEvent[] {
  const at = isoTime(request.now.wallMs);
  return request.events.map((body, index) => {
    // The copy of a JSON value has the type of that value.
    const copied = copyJson(body, "event") as TaskEventBody;
    if (typeof copied.type !== "string") throw new TypeError(`Event ${index} of a commit has no type.`);
    return Object.assign(copied, { seq: request.afterSeq + index + 1, at });
  });
}

/** Writes a commit as a line of the journal. */
export function encodeCommit(seq: number, events: readonly TaskEvent[], consumed: readonly string[]): Buffer {
  return encodeLine(JSON.stringify({ seq, events, consumed: consumed.length === 0 ? undefined : consumed }));
}

/** The events of one commit, at least one, and how many bytes they take in the journal. */
interface TailCommit {
  readonly events: readonly TaskEvent[];
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
  add(events: readonly TaskEvent[], bytes: number): void {
    if (events.length === 0 || !this.#isFollowed) return;
    this.#commits.push({ events, bytes });
    this.#events += events.length;
    this.#size += bytes;
    while (this.#events > this.#limits.maxTailEvents || this.#size > this.#limits.maxTailBytes) {
      const oldest = this.#commits.shift();
      if (oldest === undefined) return;
      this.#events -= oldest.events.length;
      this.#size -= oldest.bytes;
    }
  }

  /**
   * The events behind a cursor up to a seq, or `undefined` when it does not reach back so far. They are frozen, since all
   * who follow a task share them.
   */
  between(afterSeq: number, lastSeq: number, limit: number): readonly TaskEvent[] | undefined {
    this.#isFollowed = true;
    const first = this.#commits[0]?.events[0];
    if (first === undefined || first.seq > afterSeq + 1) return undefined;
    const found: TaskEvent[] = [];
    for (const { events } of this.#commits) {
      if ((events.at(-1)?.seq ?? 0) <= afterSeq) continue;
      for (const event of events) {
        if (event.seq > lastSeq || found.length >= limit) return found;
        if (event.seq > afterSeq) found.push(deepFreeze(event));
      }
    }
    return found;
  }
}
