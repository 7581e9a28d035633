import { isFinal } from "@resumable-mcp/protocol";
import { isAway, progressNumbers, taskTimes } from "@resumable-mcp/protocol/display";
import type { ReactNode } from "react";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { CopyButton } from "../parts/copy-button.js";
import { JsonTree } from "../parts/json-tree.js";
import { LongText } from "../parts/long-text.js";
import { farText, ProgressBar } from "../parts/progress-bar.js";
import { useNow } from "../parts/use-now.js";

/** How far a task is, in numbers and words. */
export function FactsSection({ task }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { info, journal } = task;
  const { error, message, status } = info;
  return (
    <section className="facts" aria-label={texts.progress}>
      <ProgressBar task={task} />
      <p className="fact-line">
        <span className="numbers">{farText(info)}</span>
        <Times task={task} />
      </p>
      {!isFinal(status) && <Waits task={task} />}
      {message !== undefined && !isFinal(status) && <LongText text={message} className="task-message" />}
      {error !== undefined && (
        <div className="task-error">
          <strong>{texts.error}</strong>
          <LongText text={error.message} />
          {error.continues !== undefined && (
            <p className="muted">{texts.continuation[error.continues](progressNumbers(info))}</p>
          )}
        </div>
      )}
      {journal?.arguments !== undefined && (
        <div className="arguments">
          <JsonTree name={texts.arguments} value={journal.arguments} depth={2} />
          <CopyButton text={() => JSON.stringify(journal.arguments, null, 2)} />
        </div>
      )}
    </section>
  );
}

/** What keeps a task from running, though nothing is asked of its user. */
function Waits({ task: { info } }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { answered = [], waitsFor } = info;
  return (
    <>
      {answered.length > 0 && <p className="muted">{texts.answerReceived}</p>}
      {waitsFor !== undefined && <p className="muted">{texts.slotWait(waitsFor)}</p>}
    </>
  );
}

function Times({ task }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { info } = task;
  const nowMs = useNow(!isFinal(info.status) && !isAway(task));
  const { elapsed, left, rate } = taskTimes(task, nowMs);
  const facts = [
    rate,
    left && texts.left(left),
    elapsed && (isFinal(info.status) ? texts.took(elapsed) : texts.runs(elapsed)),
    info.itemCount > 0 ? texts.items(info.itemCount) : undefined,
    texts.attempt(info.attempt),
    info.generation > 1 ? texts.generation(info.generation) : undefined,
  ];
  return facts.flatMap((fact) => (fact === undefined ? [] : [<span key={fact}>{fact}</span>]));
}
