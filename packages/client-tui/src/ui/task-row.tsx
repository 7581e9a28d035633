import { isFinal } from "@resumable-mcp/client";
import { Text } from "ink";
import type { ReactNode } from "react";
import { fitText } from "../display/plain-text.js";
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
  const trouble = task.reconnecting === undefined ? task.problem : `reconnecting (${task.reconnecting})`;
  const lead = `${selected ? "▸" : " "} ${statusMark(info.status, info.interrupted)} `;
  const elapsedMs = elapsedOf(task, nowMs);
  const facts = { name: info.tool, progress: info.progress, total: info.total, percent: info.percent, elapsedMs };
  return lead + progressLine({ ...facts, message: trouble ?? rowMessage(task) }, columns - lead.length);
}

/** A task that runs says how far it is; any other first says why it does not. */
function rowMessage({ info }: LiveTask): string {
  if (isFinal(info.status)) return info.error?.message ?? statusWord(info.status);
  const message = info.status === "input_required" ? info.questions[0]?.message : info.message;
  if (info.status === "running" && !info.interrupted) return message ?? "";
  return [statusWord(info.status, info.interrupted), message].filter((part) => part !== undefined).join(": ");
}

/** How long a task takes, or took. */
export function elapsedOf({ info }: LiveTask, nowMs: number): number | undefined {
  if (info.createdAt === undefined) return undefined;
  const end = info.finishedAt === undefined ? nowMs : Date.parse(info.finishedAt);
  return Math.max(0, end - Date.parse(info.createdAt));
}
