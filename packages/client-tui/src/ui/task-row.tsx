import { Text } from "ink";
import type { ReactNode } from "react";
import { fitText, plainText } from "../display/plain-text.js";
import { progressLine } from "../display/progress-line.js";
import { statusMark, statusWord } from "../display/status-mark.js";
import type { LiveTask } from "../model/board-state.js";
import { useTheme } from "../theme/theme-context.js";

/** One task on one line: cursor, mark, bar, numbers, message, time. */
export function TaskRow(props: {
  readonly task: LiveTask;
  readonly columns: number;
  readonly nowMs: number;
  readonly selected: boolean;
}): ReactNode {
  const { task, columns, nowMs, selected } = props;
  const theme = useTheme();
  const { info } = task;
  const color = theme.statusColor(info.status);
  return (
    <Text inverse={selected} {...(color === undefined ? {} : { color })}>
      {fitText(taskRowText(task, columns, nowMs, selected), columns)}
    </Text>
  );
}

/** The text of a task's line, which says everything without colour. */
export function taskRowText(task: LiveTask, columns: number, nowMs: number, selected: boolean): string {
  const { info } = task;
  const word = info.status === "running" && !info.interrupted ? "" : `${statusWord(info.status, info.interrupted)}: `;
  const trouble = task.reconnecting === undefined ? task.problem : `reconnecting (${task.reconnecting})`;
  const message = plainText(trouble ?? info.message ?? "");
  const lead = `${selected ? "▸" : " "} ${statusMark(info.status, info.interrupted)} `;
  const elapsedMs = elapsedOf(task, nowMs);
  const facts = { name: info.tool, progress: info.progress, total: info.total, percent: info.percent, elapsedMs };
  return lead + progressLine({ ...facts, message: word + message }, columns - lead.length);
}

/** How long a task takes, or took. */
export function elapsedOf({ info }: LiveTask, nowMs: number): number | undefined {
  if (info.createdAt === undefined) return undefined;
  const end = info.finishedAt === undefined ? nowMs : Date.parse(info.finishedAt);
  return Math.max(0, end - Date.parse(info.createdAt));
}
