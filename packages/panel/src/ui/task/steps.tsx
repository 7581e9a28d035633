import { isFinal } from "@resumable-mcp/protocol";
import { formatStepTime, isAway, type StepLine, wasCutOff } from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo, useState } from "react";
import { readAttempts } from "../../model/attempts.js";
import { lineText } from "../../model/bounded.js";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { useNow } from "../parts/use-now.js";
import { More, pageLines, Time } from "./lines.js";

interface StepsProps {
  readonly task: PanelTask;
  readonly steps: readonly StepLine[];
  readonly isCut: boolean;
}

/** The steps of a task on one line of time: attempts, values and durations, with the task's own attempts and crashes as marks. */
export function Steps({ task, steps, isCut }: StepsProps): ReactNode {
  const texts = useTexts();
  const { journal, info } = task;
  const [most, setMost] = useState(pageLines);
  const isOver = isFinal(info.status) || info.interrupted || isAway(task);
  const nowMs = useNow(!isOver && steps.length > 0);
  const attempts = useMemo(() => readAttempts(journal, nowMs, isOver), [journal, nowMs, isOver]);
  if (steps.length === 0) return <p className="muted">{journal === undefined ? texts.loading : texts.noSteps}</p>;
  const shown = steps.slice(-most);
  const endMs = isOver ? (attempts.at(-1)?.toMs ?? nowMs) : nowMs;
  const times = shown.flatMap((step) => step.attempts.flatMap(({ fromMs, toMs = endMs }) => [fromMs, toMs]));
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)];
  const percent = (ms: number) =>
    (100 * (Math.min(Math.max(ms, firstMs), lastMs) - firstMs)) / Math.max(1, lastMs - firstMs);
  const marks = attempts.filter(({ fromMs }) => fromMs > firstMs && fromMs < lastMs);
  return (
    <>
      <ol className="steps" reversed>
        {shown.toReversed().map(({ seq, kind, name, value, failure, attempts: tries }) => {
          const took = tries.reduce((sum, { fromMs, toMs = endMs }) => sum + Math.max(0, toMs - fromMs), 0);
          return (
            <li key={seq} data-kind={kind}>
              <Time at={new Date(tries[0]?.fromMs ?? endMs).toISOString()} texts={texts} />
              <span className="step-name">
                {lineText(name)}{" "}
                {failure === undefined ? (
                  <code className="muted">{value === undefined ? "…" : lineText(value)}</code>
                ) : (
                  <span className="field-error">{lineText(failure)}</span>
                )}
              </span>
              <span className="step-track" aria-hidden="true">
                {marks.map((mark) => (
                  <i
                    key={mark.seq}
                    className="step-mark"
                    data-cut={wasCutOff(attempts[attempts.indexOf(mark) - 1]?.ended) || undefined}
                    style={{ left: `${percent(mark.fromMs)}%` }}
                  />
                ))}
                {tries.map(({ fromMs, toMs = endMs, failed }) => (
                  <b
                    key={fromMs}
                    className="step-bar"
                    data-failed={failed || undefined}
                    style={{ left: `${percent(fromMs)}%`, width: `${percent(toMs) - percent(fromMs)}%` }}
                  />
                ))}
              </span>
              <span className="step-time">
                {formatStepTime(took)}
                {tries.length > 1 && <span className="muted">{texts.tries(tries.length)}</span>}
              </span>
            </li>
          );
        })}
      </ol>
      <More left={steps.length - most} isCut={isCut} onMore={() => setMost(most + pageLines)} />
    </>
  );
}
