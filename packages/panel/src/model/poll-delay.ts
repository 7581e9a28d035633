/** What is known when the time of the next poll is chosen. */
export interface PollFacts {
  /** `moving`: something changes by itself · `waiting`: it waits for a person or for its time · `still`: all is over. */
  readonly activity: "moving" | "waiting" | "still";
  /** The page cannot be seen. */
  readonly hidden: boolean;
  /** Polls that failed since the last answer. */
  readonly failures: number;
  /** How long the last poll took, in milliseconds. */
  readonly tookMs: number;
}

const activeMs = { moving: 1_000, waiting: 2_500, still: 8_000 } as const;
/** The longest time between two attempts to reach a server that is away. */
const mostRetryMs = 15_000;
/** A poll takes at most a quarter of the time. */
const leastRest = 3;
/** What cannot be seen is polled more slowly by this factor. */
const hiddenFactor = 5;

/** Milliseconds until the next poll: soon while something moves, slowly when hidden, less and less often while the server is away. */
export function pollDelayMs({ activity, hidden, failures, tookMs }: PollFacts, random: number): number {
  const base = failures === 0 ? Math.max(activeMs[activity], tookMs * leastRest) : retryMs(failures, random);
  return Math.round(hidden ? base * hiddenFactor : base);
}

/** Views that lost the same server do not all return in the same moment. */
function retryMs(failures: number, random: number): number {
  return Math.min(mostRetryMs, 500 * 2 ** Math.min(failures, 10)) * (0.75 + random / 4);
}
