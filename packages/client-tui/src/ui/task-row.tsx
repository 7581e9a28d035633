import { Text } from "ink";
import type { ReactNode } from "react";
import { fitText } from "../display/plain-text.js";
import { type TaskColumns, taskLineText } from "../display/task-columns.js";
import type { LiveTask } from "../model/live-task.js";
import { useTheme } from "../theme/theme-context.js";

/** One task on one line: cursor, mark, status, bar, numbers, times, message. */
export function TaskRow(props: {
  readonly task: LiveTask;
  readonly widths: TaskColumns;
  readonly columns: number;
  readonly nowMs: number;
  readonly atCursor?: boolean;
  readonly marked?: boolean;
}): ReactNode {
  const { task, widths, columns, nowMs, atCursor = false, marked = false } = props;
  const color = useTheme().statusColor(task.info.status);
  return (
    <Text inverse={atCursor} {...(color === undefined ? {} : { color })} wrap="truncate">
      {fitText(taskLineText(task, widths, { nowMs, atCursor, marked }), columns)}
    </Text>
  );
}
