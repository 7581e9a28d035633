import type { TaskJournal } from "@resumable-mcp/protocol";
import {
  type HistoryLine,
  momentText,
  plainText,
  readHistory,
  type StepLine,
  stepText,
} from "@resumable-mcp/protocol/display";

/** A line for people. */
interface TextLine {
  readonly key: number;
  /** ISO 8601 UTC. */
  readonly at: string | undefined;
  readonly text: string;
  /** One of the places at which the tool threw, under what failed. */
  readonly isPlace?: true;
}

/** Tells a journal in English; a step has its value and its time. */
export function tellHistory(journal: TaskJournal | undefined) {
  const { timeline, steps, log } = readHistory(journal);
  const inWords = ({ key, at, moment }: HistoryLine): TextLine => ({ key, at, text: plainText(momentText(moment)) });
  const step = (line: StepLine): TextLine => {
    const beganMs = line.attempts[0]?.fromMs ?? Number.NaN;
    return {
      key: line.seq,
      at: Number.isNaN(beganMs) ? undefined : new Date(beganMs).toISOString(),
      text: stepText(line),
    };
  };
  const withStack = (line: HistoryLine): readonly TextLine[] => {
    const stack = "stack" in line.moment ? line.moment.stack : [];
    const places = stack.map(
      (place, index): TextLine => ({
        key: line.key + (index + 1) / 100,
        at: undefined,
        text: `  ${place}`,
        isPlace: true,
      }),
    );
    return [inWords(line), ...places];
  };
  return { timeline: timeline.flatMap(withStack), steps: steps.map(step), log };
}
