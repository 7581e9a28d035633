import {
  type HistoryLine,
  isShownAt,
  type LogLine,
  readHistory,
  type ShownLevel,
  shownLevel,
  shownLevels,
  type TaskMoment,
  wasCutOff,
} from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo, useState } from "react";
import { lineText } from "../../model/bounded.js";
import { maxJournalEvents, type PanelTask } from "../../model/panel-task.js";
import { type ScreenPart, taskParts } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { useToolTitle } from "../panel-context.js";
import { CopyButton } from "../parts/copy-button.js";
import { Tabs } from "../parts/tabs.js";
import { Items } from "./items.js";
import { More, pageLines, Time } from "./lines.js";
import { Result } from "./result.js";
import { Steps } from "./steps.js";

interface TaskPartsProps {
  readonly task: PanelTask;
  readonly part: ScreenPart | undefined;
  readonly onPart: (part: ScreenPart) => void;
}

/** What happened to a task, what it said, and what it made. */
export function TaskParts({ task, part, onPart }: TaskPartsProps): ReactNode {
  const texts = useTexts();
  const { journal, info, result } = task;
  const history = useMemo(() => readHistory(journal, info.answered), [journal, info.answered]);
  const chosen = part ?? (result === undefined ? "timeline" : "result");
  const counts = { log: history.log.length, steps: history.steps.length, items: info.itemCount };
  const tabs = taskParts.map((name) => ({
    name,
    label: texts.parts[name],
    count: name === "timeline" || name === "result" ? undefined : counts[name],
  }));
  const isCut = (journal?.events.length ?? 0) >= maxJournalEvents;
  return (
    <section className="parts">
      <Tabs label={texts.thisTask} tabs={tabs} chosen={chosen} onChoose={onPart}>
        {chosen === "timeline" && (
          <Lines
            lines={history.timeline}
            none={journal === undefined ? texts.loading : texts.noTimeline}
            isCut={isCut}
          />
        )}
        {chosen === "steps" && <Steps task={task} steps={history.steps} isCut={isCut} />}
        {chosen === "log" && <Log lines={history.log} isCut={isCut} />}
        {chosen === "items" && <Items taskId={info.id} count={info.itemCount} />}
        {chosen === "result" && <Result task={task} />}
      </Tabs>
    </section>
  );
}

/** An attempt after one whose process died. */
function isCutOff(moment: TaskMoment): boolean {
  return moment.kind === "attempt" && wasCutOff(moment.after);
}

interface LinesProps {
  readonly lines: readonly HistoryLine[];
  readonly none: string;
  readonly isCut: boolean;
}

function Lines({ lines, none, isCut }: LinesProps): ReactNode {
  const texts = useTexts();
  const titleOf = useToolTitle();
  const [most, setMost] = useState(pageLines);
  if (lines.length === 0) return <p className="muted">{none}</p>;
  const named = (moment: TaskMoment) => ("tool" in moment ? { ...moment, tool: titleOf(moment.tool) } : moment);
  return (
    <>
      <ol className="lines" reversed>
        {lines
          .slice(-most)
          .toReversed()
          .map(({ key, at, moment }) => (
            <li key={key} data-moment={moment.kind} data-cut={isCutOff(moment) || undefined}>
              <Time at={at} texts={texts} />
              <span className="mark" aria-hidden="true" />
              <span>
                {lineText(texts.moment(named(moment)), 1_000)}
                {"stack" in moment && moment.stack.length > 0 && (
                  <details className="stack">
                    <summary>{texts.stack}</summary>
                    <pre>{moment.stack.join("\n")}</pre>
                  </details>
                )}
                {moment.kind === "attempt" && moment.takenOver && <span className="chip">{texts.takenOver}</span>}
              </span>
            </li>
          ))}
      </ol>
      <More left={lines.length - most} isCut={isCut} onMore={() => setMost(most + pageLines)} />
    </>
  );
}

function Log({ lines, isCut }: { readonly lines: readonly LogLine[]; readonly isCut: boolean }): ReactNode {
  const texts = useTexts();
  const [least, setLeast] = useState<ShownLevel>("debug");
  const [words, setWords] = useState("");
  const [most, setMost] = useState(pageLines);
  const wanted = words.toLowerCase();
  const shown = lines.filter((line) => isShownAt(least, line) && line.text.toLowerCase().includes(wanted));
  if (lines.length === 0) return <p className="muted">{texts.noLog}</p>;
  return (
    <>
      <div className="log-level">
        <label>
          <span className="muted">{texts.logLevel}</span>{" "}
          <select value={least} onChange={(event) => setLeast(shownLevel(event.target.value))}>
            {shownLevels.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        <input
          type="search"
          aria-label={texts.findInLog}
          placeholder={texts.findInLog}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <CopyButton
          text={() => shown.map(({ at = "", level, text }) => `${at} ${level} ${text}`.trimStart()).join("\n")}
        />
      </div>
      <ol className="lines log" reversed>
        {shown
          .slice(-most)
          .toReversed()
          .map(({ level, text, seq, at }) => (
            <li key={seq} data-level={shownLevel(level)}>
              <Time at={at} texts={texts} />
              <span className="log-word">{lineText(level, 12)}</span>
              <span>{lineText(text, 2_000)}</span>
            </li>
          ))}
      </ol>
      <More left={shown.length - most} isCut={isCut} onMore={() => setMost(most + pageLines)} />
    </>
  );
}
