import type { TaskJournal } from "@resumable-mcp/protocol";
import { type HistoryLine, momentText, plainText, readHistory } from "@resumable-mcp/protocol/display";

/** Tells a journal in English; among its steps one is called by its key, and has its value. */
export function tellHistory(journal: TaskJournal | undefined) {
  const { timeline, steps, log } = readHistory(journal);
  const inWords = ({ key, at, moment }: HistoryLine) => ({ key, at, text: plainText(momentText(moment)) });
  const step = (line: HistoryLine) =>
    line.moment.kind === "step"
      ? { ...inWords(line), text: plainText(`${line.moment.key}: ${line.moment.value}`) }
      : inWords(line);
  return { timeline: timeline.map(inWords), steps: steps.map(step), log };
}
