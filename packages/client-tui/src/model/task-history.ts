import type { TaskJournal } from "@resumable-mcp/client";
import {
  type LogLine,
  type HistoryLine as MomentLine,
  momentText,
  readHistory as readMoments,
  wholeLog,
} from "@resumable-mcp/protocol/display";
import { plainText } from "../display/plain-text.js";

export { wholeLog };

/** One line of what happened to a task. */
export interface HistoryLine {
  readonly key: number;
  /** ISO 8601 UTC. */
  readonly at?: string;
  readonly text: string;
}

/** What the screens show of a journal. */
export interface TaskHistory {
  readonly timeline: readonly HistoryLine[];
  readonly steps: readonly HistoryLine[];
  readonly log: readonly LogLine[];
}

/** Tells a journal in English; among its steps one is called by its key alone. */
export function readHistory(journal: TaskJournal | undefined): TaskHistory {
  const { timeline, steps, log } = readMoments(journal);
  const step = ({ moment }: MomentLine) => (moment.kind === "step" ? moment.key : momentText(moment));
  return {
    timeline: timeline.map(withText(({ moment }) => momentText(moment))),
    steps: steps.map(withText(step)),
    log,
  };
}

function withText(textOf: (line: MomentLine) => string) {
  return (line: MomentLine): HistoryLine => ({ key: line.key, at: line.at, text: plainText(textOf(line)) });
}
