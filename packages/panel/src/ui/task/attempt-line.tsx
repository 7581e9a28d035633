import { isFinal } from "@resumable-mcp/protocol";
import { formatDuration, isAway, wasCutOff } from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo } from "react";
import { type Attempt, readAttempts } from "../../model/attempts.js";
import type { PanelTask } from "../../model/panel-task.js";
import type { Texts } from "../../texts/texts.js";
import { useTexts } from "../../texts/texts.js";
import { timeText } from "../parts/time-text.js";
import { useNow } from "../parts/use-now.js";

/** Attempts that are drawn: the newest. */
const maxAttempts = 50;
/** Attempts that are listed in words. */
const maxListedAttempts = 6;

/** The attempts of a task on a line of time, with crashes and take-overs marked. */
export function AttemptLine({ task }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { journal, info } = task;
  const isOver = isFinal(info.status) || info.interrupted || isAway(task);
  const nowMs = useNow(!isOver);
  const attempts = useMemo(() => readAttempts(journal, nowMs, isOver).slice(-maxAttempts), [journal, nowMs, isOver]);
  const first = attempts[0]?.fromMs;
  const last = attempts.at(-1)?.toMs;
  // One attempt that has not broken says nothing.
  if (
    first === undefined ||
    last === undefined ||
    (attempts.length === 1 && !attempts.some(({ ended }) => wasCutOff(ended)))
  )
    return null;
  const span = Math.max(1, last - first);
  const percent = (ms: number) => (100 * Math.max(0, ms)) / span;
  return (
    <section className="attempts" aria-labelledby="attempts">
      <h2 id="attempts">{texts.attempts}</h2>
      <div className="attempt-track" aria-hidden="true">
        {attempts.map((attempt) => (
          <div
            key={attempt.seq}
            className="attempt"
            data-ended={wasCutOff(attempt.ended) ? "cut" : attempt.ended}
            data-runs={attempt.runs || undefined}
            data-taken={attempt.takenOver || undefined}
            style={{ left: `${percent(attempt.fromMs - first)}%`, width: `${percent(attempt.toMs - attempt.fromMs)}%` }}
          />
        ))}
      </div>
      <ol className="attempt-list" reversed start={attempts.length}>
        {attempts
          .slice(-maxListedAttempts)
          .toReversed()
          .map((attempt) => (
            <li key={attempt.seq} data-cut={wasCutOff(attempt.ended) || undefined}>
              {attemptText(attempt, texts)}
            </li>
          ))}
      </ol>
    </section>
  );
}

function attemptText(attempt: Attempt, texts: Texts): string {
  const from = timeText(new Date(attempt.fromMs), texts.language);
  const time = formatDuration(attempt.toMs - attempt.fromMs);
  const ended = attempt.ended === undefined ? "" : `, ${texts.endedBy(attempt.ended)}`;
  const taken = attempt.takenOver ? ` (${texts.takenOver})` : "";
  const runs = attempt.runs ? `, ${texts.stillRuns}` : "";
  return `${texts.attemptRan(attempt.attempt, from, time)}${taken}${ended}${runs}`;
}
