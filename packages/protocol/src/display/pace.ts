/** A moment at which a task's progress was seen. */
interface Sample {
  readonly atMs: number;
  readonly progress: number;
}

/** The last moments at which a task moved, oldest first: the source of rate and remaining time. */
export type Pace = readonly Sample[];

/** Samples that are kept of one task. */
const maxSamples = 20;
/** A rate covers at most this time: older samples say nothing about now. */
const windowMs = 60_000;
/** Samples closer to each other than this are one. */
const leastGapMs = 500;

/** Adds what was just seen; a task that went back starts over. */
export function addSample(pace: Pace, sample: Sample): Pace {
  const last = pace.at(-1);
  if (last === undefined || sample.progress < last.progress) return [sample];
  const previous = pace.at(-2);
  const kept = previous !== undefined && last.atMs - previous.atMs < leastGapMs ? pace.slice(0, -1) : pace;
  return [...kept, sample].filter(({ atMs }) => sample.atMs - atMs <= windowMs).slice(-maxSamples);
}

/** Progress per second, or `undefined` with too few samples. */
export function ratePerSecond(pace: Pace): number | undefined {
  const [first] = pace;
  const last = pace.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const tookMs = last.atMs - first.atMs;
  const made = last.progress - first.progress;
  return tookMs < leastGapMs || made <= 0 ? undefined : made / (tookMs / 1000);
}

/** Milliseconds that the rest takes at the present rate; unknown once that time has passed without the end. */
export function remainingMs(pace: Pace, total: number | undefined, nowMs: number): number | undefined {
  const rate = ratePerSecond(pace);
  const last = pace.at(-1);
  if (rate === undefined || last === undefined || total === undefined) return undefined;
  const sinceThen = nowMs - last.atMs;
  const restMs = (Math.max(0, total - last.progress) / rate) * 1000;
  return restMs > 0 && sinceThen > restMs ? undefined : Math.max(0, restMs - sinceThen);
}
