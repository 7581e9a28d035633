import { type Spread, spreadOf, type Target, verdict } from "./statistics.js";

/** One comparison of two ways to do the same work. */
export interface Measure {
  /** Short and stable: for `--only` and for the JSON file. */
  readonly id: string;
  readonly title: string;
  /** What `subject` and `peer` are, for the table. */
  readonly subject: string;
  readonly peer: string;
  readonly unit: string;
  /** Of the ratio subject / peer. */
  readonly target?: Target;
  /** At least 15, so that the median has an interval. */
  readonly rounds?: number;
  prepare(): Promise<PreparedMeasure>;
}

/** A measure whose data stands ready. Each call does one round and gives its figure in the measure's unit. */
export interface PreparedMeasure {
  subject(): Promise<number>;
  peer(): Promise<number>;
  dispose(): Promise<void>;
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
  readonly target?: Target;
  readonly verdict: "met" | "unclear" | "missed" | "no target";
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
  const ratio = spreadOf(subject.map((figure, index) => figure / (peer[index] ?? Number.NaN)));
  const { id, title, unit, target } = measure;
  return {
    id,
    title,
    subject: measure.subject,
    peer: measure.peer,
    unit,
    rounds,
    subjectFigure: spreadOf(subject),
    peerFigure: spreadOf(peer),
    ratio,
    ...(target === undefined ? {} : { target }),
    verdict: target === undefined ? "no target" : verdict(ratio, target),
  };
}

/** Milliseconds that something takes, divided by how often it did its work. */
export async function timePer(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / count;
}
