import { memo, type ReactNode, useRef } from "react";
import { cutText, fitText } from "../../display/plain-text.js";
import { type BoardTask, isAway } from "../../model/board-task.js";
import { useTheme } from "../theme.js";
import { Line } from "./line.js";
import { type TaskColumns, taskLineText } from "./task-columns.js";

interface TaskRowProps {
  readonly task: BoardTask;
  readonly widths: TaskColumns;
  readonly columns: number;
  readonly nowMs: number;
  readonly atCursor?: boolean;
  readonly marked?: boolean;
}

/** One task on one line: cursor, mark, status, bar, numbers, times, message. Rendered again only for a task that changed. */
export const TaskRow = memo(function TaskRow(props: TaskRowProps): ReactNode {
  const { task, widths, columns, nowMs, atCursor = false, marked = false } = props;
  const { status } = useTheme();
  const text = taskLineText(task, widths, { nowMs, atCursor, marked });
  const whole = atCursor ? fitText(text, columns) : cutText(text, columns);
  return <Line text={whole} color={isAway(task) ? status.cancelled : status[task.info.status]} inverse={atCursor} />;
});

/** The widths of the draw before for as long as they are the same: rows whose task did not change stay as they are. */
export function useSameWidths(widths: TaskColumns): TaskColumns {
  const before = useRef(widths);
  const names = Object.keys(widths) as (keyof TaskColumns)[];
  if (names.some((name) => widths[name] !== before.current[name])) before.current = widths;
  return before.current;
}
