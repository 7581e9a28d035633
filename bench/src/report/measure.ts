import { temporaryFolder } from "../stores/stored-tasks.js";

/** The middle of some figures, and the interval in which the true middle lies with about 95 % confidence. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Finds median and interval by order statistics, without assuming how the figures are distributed. Needs one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), sorted.length - 1)] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const rank = lowRank(sorted.length);
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(rank),
    high: at(sorted.length - 1 - rank),
  };
}

/** The largest rank from either end that leaves at most 2.5 % of a fair coin's outcomes outside. */
function lowRank(count: number): number {
  let probability = 0.5 ** count;
  let outside = 0;
  for (let rank = 0; rank < count / 2; rank++) {
    outside += probability;
    if (outside > 0.025) return Math.max(0, rank - 1);
    probability = (probability * (count - rank)) / (rank + 1);
  }
  return 0;
}

/** What a ratio has to keep: at most, or at least. */
export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** A target is missed only when the whole interval lies beyond it. */
export function verdict(ratio: Spread, target: Target): "met" | "unclear" | "missed" {
  const [better, worse, limit] =
    "atMost" in target ? [ratio.low, ratio.high, target.atMost] : [-ratio.high, -ratio.low, -target.atLeast];
  if (worse <= limit) return "met";
  return better <= limit ? "unclear" : "missed";
}

/** What a target is about. */
export type Judged = "ratio" | "figure" | "difference";

/** One comparison of two ways to do the same work. */
export interface Measure {
  /** Short and stable: for `--only` and for the JSON file. */
  readonly id: string;
  readonly title: string;
  /** What `subject` and `peer` are, for the table. */
  readonly subject: string;
  readonly peer: string;
  readonly unit: string;
  readonly target?: Target;
  /** What the target is about: the ratio subject / peer, the subject's figure alone, or subject − peer. */
  readonly judges?: Judged;
  /** At least 15, so that the median has an interval. */
  readonly rounds?: number;
  /** It takes minutes, and runs only where it is named. */
  readonly isLong?: true;
  prepare(scope: Scope): Promise<PreparedMeasure>;
}

/** What a measure opens for its rounds: all of it is closed after them, the last one first. */
export interface Scope {
  /** Makes an empty folder. */
  folder(): Promise<string>;
  onEnd(close: () => unknown): void;
}

/** A measure whose data stands ready. Each call does one round and gives its figure in the measure's unit. */
export interface PreparedMeasure {
  subject(): Promise<number>;
  peer(): Promise<number>;
  /** What was found while preparing that the report should tell. */
  readonly note?: string;
}

/** What came out. */
export interface Outcome extends Omit<Measure, "prepare" | "rounds" | "isLong" | "judges"> {
  readonly rounds: number;
  readonly subjectFigure: Spread;
  readonly peerFigure: Spread;
  readonly ratio: Spread;
  readonly judges: Judged;
  /** Spread of what the target is about. */
  readonly judged: Spread;
  readonly note?: string;
  readonly verdict: "met" | "unclear" | "missed" | "no target" | "failed";
}

/** Runs subject and peer in turn, changing who begins, after two rounds that do not count. */
export async function runMeasure(measure: Measure): Promise<Outcome> {
  const rounds = measure.rounds ?? 15;
  const subject: number[] = [];
  const peer: number[] = [];
  const closes: (() => unknown)[] = [];
  const scope: Scope = {
    async folder() {
      const { directory, remove } = await temporaryFolder();
      closes.push(remove);
      return directory;
    },
    onEnd: (close) => void closes.push(close),
  };
  try {
    const prepared = await measure.prepare(scope);
    for (let round = -2; round < rounds; round++) {
      const subjectFirst = round % 2 === 0;
      const first = subjectFirst ? await prepared.subject() : await prepared.peer();
      const second = subjectFirst ? await prepared.peer() : await prepared.subject();
      if (round < 0) continue;
      subject.push(subjectFirst ? first : second);
      peer.push(subjectFirst ? second : first);
    }
    return outcomeOf(measure, subject, peer, prepared.note);
  } finally {
    for (const close of closes.reverse()) await close();
  }
}

function outcomeOf(measure: Measure, subject: readonly number[], peer: readonly number[], note?: string): Outcome {
  const { id, title, subject: ours, peer: theirs, unit, target, judges = "ratio" } = measure;
  const pairs = subject.map((figure, index) => [figure, peer[index] ?? Number.NaN] as const);
  const ratio = spreadOf(pairs.map(([ours, theirs]) => ours / theirs));
  const spreads: Record<Judged, Spread> = {
    ratio,
    figure: spreadOf(subject),
    difference: spreadOf(pairs.map(([ours, theirs]) => ours - theirs)),
  };
  return {
    id,
    title,
    subject: ours,
    peer: theirs,
    unit,
    target,
    judges,
    note,
    rounds: pairs.length,
    subjectFigure: spreads.figure,
    peerFigure: spreadOf(peer),
    ratio,
    judged: spreads[judges],
    verdict: target === undefined ? "no target" : verdict(spreads[judges], target),
  };
}

/** The row of a measure that ended without figures. */
export function failedOutcome(measure: Measure): Outcome {
  return { ...outcomeOf(measure, [], []), verdict: "failed" };
}

/** Milliseconds that something takes, divided by how often it did its work. */
export async function timePer(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / count;
}
