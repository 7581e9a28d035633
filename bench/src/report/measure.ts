import { type Spread, spreadOf, type Target, verdict } from "./statistics.js";

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
  prepare(): Promise<PreparedMeasure>;
}

/** A measure whose data stands ready. Each call does one round and gives its figure in the measure's unit. */
export interface PreparedMeasure {
  subject(): Promise<number>;
  peer(): Promise<number>;
  dispose(): Promise<void>;
  /** What was found while preparing that the report should tell. */
  readonly note?: string;
}

/** What came out. */
export interface Outcome {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  readonly peer: string;
  readonly unit: string;
  readonly rounds: number;
  readonly subjectFigure: Spread;
  readonly peerFigure: Spread;
  readonly ratio: Spread;
  readonly judges: Judged;
  /** Spread of what the target is about. */
  readonly judged: Spread;
  readonly note?: string;
  readonly target?: Target;
  readonly verdict: "met" | "unclear" | "missed" | "no target" | "failed";
}

/** Runs subject and peer in turn, changing who begins, after two rounds that do not count. */
export async function runMeasure(measure: Measure): Promise<Outcome> {
  const rounds = measure.rounds ?? 15;
  const prepared = await measure.prepare();
  const subject: number[] = [];
  const peer: number[] = [];
  try {
    for (let round = -2; round < rounds; round++) {
      const subjectFirst = round % 2 === 0;
      const first = subjectFirst ? await prepared.subject() : await prepared.peer();
      const second = subjectFirst ? await prepared.peer() : await prepared.subject();
      if (round < 0) continue;
      subject.push(subjectFirst ? first : second);
      peer.push(subjectFirst ? second : first);
    }
  } finally {
    await prepared.dispose();
  }
  return outcomeOf(measure, subject, peer, prepared.note);
}

function outcomeOf(
  measure: Measure,
  subject: readonly number[],
  peer: readonly number[],
  note: string | undefined,
): Outcome {
  const { id, title, unit, target, judges = "ratio" } = measure;
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
    subject: measure.subject,
    peer: measure.peer,
    unit,
    rounds: pairs.length,
    subjectFigure: spreads.figure,
    peerFigure: spreadOf(peer),
    ratio,
    judges,
    judged: spreads[judges],
    ...(note === undefined ? {} : { note }),
    ...(target === undefined ? {} : { target }),
    verdict: target === undefined ? "no target" : verdict(spreads[judges], target),
  };
}

/** The row of a measure that ended without figures. */
export function failedOutcome(measure: Measure): Outcome {
  return { ...outcomeOf(measure, [], [], undefined), verdict: "failed" };
}

/** Milliseconds that something takes, divided by how often it did its work. */
export async function timePer(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / count;
}
