import { isFinal } from "@resumable-mcp/protocol";
import { isMoving, taskName, taskTimes, toolTitle } from "@resumable-mcp/protocol/display";
import { type MouseEvent, memo, type ReactNode } from "react";
import { lineText } from "../../model/bounded.js";
import type { PanelTask } from "../../model/panel-task.js";
import { writeRoute } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { farText, ProgressBar } from "../parts/progress-bar.js";
import { StatusBadge } from "../parts/status-badge.js";
import { useNow } from "../parts/use-now.js";

interface TaskRowProps {
  readonly task: PanelTask;
  /** Place in the list, from 0. */
  readonly index: number;
  readonly top: number;
  readonly selected: boolean;
  readonly onSelect: (taskId: string, selected: boolean) => void;
  readonly onOpen: (taskId: string) => void;
}

/** One task of the list. A row of which nothing has changed is not drawn again. */
export const TaskRow = memo(function TaskRow({
  task,
  index,
  top,
  selected,
  onSelect,
  onOpen,
}: TaskRowProps): ReactNode {
  const texts = useTexts();
  const { info } = task;
  const name = lineText(taskName(info));
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(info.id);
  };
  return (
    <div
      className="row"
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)` }}
      data-selected={selected || undefined}
    >
      <span role="cell" className="cell-select">
        <input
          type="checkbox"
          aria-label={texts.select(name)}
          checked={selected}
          onChange={(event) => onSelect(info.id, event.target.checked)}
        />
      </span>
      <span role="cell" className="cell-task">
        <a href={writeRoute({ name: "task", taskId: info.id })} onClick={open} draggable={false}>
          <span className="tool">{lineText(toolTitle(info))}</span>
          {info.label !== undefined && <span className="label">{lineText(info.label)}</span>}
          {info.owner !== undefined && <span className="label">{lineText(info.owner)}</span>}
        </a>
        <span className="row-message">{lineText(taskMessage(task))}</span>
      </span>
      <span role="cell" className="cell-status">
        <StatusBadge task={task} />
      </span>
      <span role="cell" className="cell-progress">
        <ProgressBar task={task} />
        <span className="numbers">{farText(info)}</span>
      </span>
      <TaskClock task={task} />
    </div>
  );
});

/** What a task says of itself on one line: its trouble, what it asks, or its message. */
export function taskMessage({ info }: PanelTask): string {
  if (info.error !== undefined && isFinal(info.status)) return info.error.message;
  return (info.status === "input_required" ? info.questions[0]?.message : undefined) ?? info.message ?? "";
}

/** What changes with every second; the rest of a row does not. */
function TaskClock({ task }: { readonly task: PanelTask }): ReactNode {
  const { status } = task.info;
  const nowMs = useNow(isMoving(task) || status === "pending" || status === "input_required");
  const { elapsed, left, rate } = taskTimes(task, nowMs);
  return (
    <>
      <span role="cell" className="cell-rate">
        {rate}
      </span>
      <span role="cell" className="cell-left">
        {left === undefined ? "" : `~${left}`}
      </span>
      <span role="cell" className="cell-time">
        {elapsed}
      </span>
    </>
  );
}
