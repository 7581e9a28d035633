import type { ReactNode } from "react";
import { lineText } from "../../model/bounded.js";
import type { PanelTask } from "../../model/panel-task.js";
import { type Route, writeRoute } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState } from "../panel-context.js";
import { StatusBadge } from "../parts/status-badge.js";

/** Which task called this one, and which ones it called. */
export function TaskFamily({ task: { info } }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { parent, children = [] } = info;
  if (parent === undefined && children.length === 0) return null;
  return (
    <section className="family" aria-labelledby="family">
      <h2 id="family">{texts.family}</h2>
      {parent !== undefined && (
        <p>
          {texts.calledBy} <TaskLink taskId={parent.taskId} text={parent.key} />
        </p>
      )}
      <ul className="children">
        {children.toReversed().map(({ taskId, key, tool, status }) => (
          <li key={key}>
            <TaskLink taskId={taskId} text={key} /> <span className="muted">{lineText(tool)}</span>{" "}
            {status === "called" ? (
              <OpenStatus taskId={taskId} />
            ) : (
              <span className="muted">{texts.childStatuses[status]}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How far a task is that has not ended, where that was read. */
function OpenStatus({ taskId }: { readonly taskId: string }): ReactNode {
  const child = usePanelState(({ tasks }) => tasks.get(taskId));
  return child === undefined ? null : <StatusBadge task={child} />;
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
