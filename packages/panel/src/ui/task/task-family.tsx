import { type ReactNode, useMemo } from "react";
import { lineText } from "../../model/bounded.js";
import { type CalledTask, readFamily } from "../../model/family.js";
import type { PanelTask } from "../../model/panel-task.js";
import { type Route, writeRoute } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState, useToolTitle } from "../panel-context.js";
import { StatusBadge } from "../parts/status-badge.js";

/** Which task called this one, and which ones it called, on all levels. */
export function TaskFamily({ task: { info } }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const tasks = usePanelState((state) => state.tasks);
  const [tree] = useMemo(() => readFamily(info, tasks), [info, tasks]);
  const { parent } = info;
  if (parent === undefined && tree.length === 0) return null;
  return (
    <section className="family" aria-labelledby="family">
      <h2 id="family">{texts.family}</h2>
      {parent !== undefined && (
        <p>
          {texts.calledBy} <TaskLink taskId={parent.taskId} text={parent.key} />
        </p>
      )}
      <CalledTasks called={tree} />
    </section>
  );
}

function CalledTasks({ called }: { readonly called: readonly CalledTask[] }): ReactNode {
  const texts = useTexts();
  const titleOf = useToolTitle();
  if (called.length === 0) return null;
  return (
    <ul className="children">
      {called.map(({ facts: { taskId, key, tool, status }, task, children }) => (
        <li key={key}>
          <TaskLink taskId={taskId} text={key} /> <span className="muted">{titleOf(tool)}</span>{" "}
          {status !== "called" && <span className="muted">{texts.childStatuses[status]}</span>}
          {status === "called" && task !== undefined && <StatusBadge task={task} />}
          <CalledTasks called={children} />
        </li>
      ))}
    </ul>
  );
}

function TaskLink({ taskId, text }: { readonly taskId: string; readonly text: string }): ReactNode {
  const { go } = usePanel();
  const route: Route = { name: "task", taskId };
  return (
    <a
      href={writeRoute(route)}
      onClick={(event) => {
        event.preventDefault();
        go(route);
      }}
    >
      {lineText(text)}
    </a>
  );
}
