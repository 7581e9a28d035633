import type { TaskJournal } from "@resumable-mcp/protocol";
import { type HistoryLine, type LogLine, momentText, plainText, readHistory } from "@resumable-mcp/protocol/display";

/** One line of what happened to a task. */
interface TextLine {
  readonly key: number;
  /** ISO 8601 UTC. */
  readonly at?: string;
  readonly text: string;
}

/** What people are shown of a journal. */
export interface HistoryText {
  readonly timeline: readonly TextLine[];
  readonly steps: readonly TextLine[];
  readonly log: readonly LogLine[];
}

/** Tells a journal in English; among its steps one is called by its key alone. */
export function tellHistory(journal: TaskJournal | undefined): HistoryText {
  const { timeline, steps, log } = readHistory(journal);
  const step = ({ moment }: HistoryLine) => (moment.kind === "step" ? moment.key : momentText(moment));
  return {
    timeline: timeline.map(withText(({ moment }) => momentText(moment))),
    steps: steps.map(withText(step)),
    log,
  };
}

function withText(textOf: (line: HistoryLine) => string) {
  return (line: HistoryLine): TextLine => ({ key: line.key, at: line.at, text: plainText(textOf(line)) });
}
