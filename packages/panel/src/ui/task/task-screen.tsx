import { isFinal } from "@resumable-mcp/protocol";
import { toolTitle } from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo } from "react";
import { lineText } from "../../model/bounded.js";
import type { PanelTask } from "../../model/panel-task.js";
import { listRoute, type ScreenPart, writeRoute } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState } from "../panel-context.js";
import { Empty } from "../parts/empty.js";
import { StatusBadge } from "../parts/status-badge.js";
import { AttemptLine } from "./attempt-line.js";
import { QuestionForm } from "./question-form.js";
import { TaskActions } from "./task-actions.js";
import { FactsSection } from "./task-facts.js";
import { TaskFamily } from "./task-family.js";
import { TaskFiles } from "./task-files.js";
import { TaskParts } from "./task-parts.js";

interface TaskScreenProps {
  readonly taskId: string;
  readonly part: ScreenPart | undefined;
  readonly onPart: (part: ScreenPart) => void;
  /** The user comes from the list. */
  readonly isListed: boolean;
}

/** One task: how far it is, what it asks, what can be asked of it, and what happened to it. */
export function TaskScreen({ taskId, part, onPart, isListed }: TaskScreenProps): ReactNode {
  const texts = useTexts();
  const task = usePanelState(({ tasks }) => tasks.get(taskId));
  const isUnknown = usePanelState(({ link, unknown }) => link.name === "live" && unknown.has(taskId));
  if (task === undefined)
    return <Empty title={isUnknown ? texts.goneTask : texts.loading}>{isListed && <BackLink />}</Empty>;
  return (
    <article className="task" aria-labelledby="task-name">
      {isListed && <BackLink />}
      {task.gone === true && <p className="banner">{texts.goneTask}</p>}
      <div className="card">
        <TaskHead task={task} />
        <FactsSection task={task} />
      </div>
      {!isFinal(task.info.status) &&
        task.info.questions.map((question) => (
          <QuestionForm key={question.key} taskId={taskId} question={question} disabled={task.away !== undefined} />
        ))}
      <TaskFiles task={task} />
      <TaskFamily task={task} />
      <AttemptLine task={task} />
      <TaskParts task={task} part={part} onPart={onPart} />
    </article>
  );
}

function BackLink(): ReactNode {
  const texts = useTexts();
  const { go } = usePanel();
  return (
    <a
      className="back"
      href={writeRoute(listRoute)}
      onClick={(event) => {
        event.preventDefault();
        go(listRoute);
      }}
    >
      ← {texts.allTasks}
    </a>
  );
}

function TaskHead({ task }: { readonly task: PanelTask }): ReactNode {
  const { label, id } = task.info;
  const tool = toolTitle(task.info);
  const name = useMemo(() => lineText(tool), [tool]);
  return (
    <header className="task-head">
      <div className="task-title">
        <h1 id="task-name">{name}</h1>
        {label !== undefined && <p className="label">{lineText(label)}</p>}
        <p className="task-id muted">{id}</p>
      </div>
      <StatusBadge task={task} />
      <TaskActions task={task} />
    </header>
  );
}
