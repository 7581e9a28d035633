import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, plainText } from "../../display/plain-text.js";
import { progressLine } from "../../display/progress-line.js";
import { statusMark, statusWord } from "../../display/status-mark.js";
import type { LiveTask, LogLine } from "../../model/board-state.js";
import { useTheme } from "../../theme/theme-context.js";
import { elapsedOf } from "../task-row.js";
import { useKeyState } from "../use-key-state.js";
import { type DetailOutcome, reduceDetail } from "./detail-state.js";

/** The keys of the detail screen. */
export const detailKeys = ["p pause", "r resume", "c cancel", "a answer", "↑↓ log", "Esc back", "Ctrl-C leave"];

/** One task: its bar, its facts, what it asks, its result and its log. */
export function Detail(props: {
  readonly task: LiveTask | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly onOutcome: (outcome: DetailOutcome) => void;
}): ReactNode {
  const { task, columns, rows, nowMs, onOutcome } = props;
  const theme = useTheme();
  const { up } = useKeyState((state, key) => reduceDetail(state, key, task), { up: 0 }, onOutcome);
  if (task === undefined) return <Text>This task is gone.</Text>;
  const facts = factLines(task, columns);
  const color = theme.statusColor(task.info.status);
  const log = logWindow(task.log, up, Math.max(0, rows - facts.length - 2));
  return (
    <Box flexDirection="column">
      <Text bold {...(color === undefined ? {} : { color })}>
        {barLine(task, columns, nowMs)}
      </Text>
      {facts.map((text) => (
        <Text key={text}>{text}</Text>
      ))}
      <Text> </Text>
      {log.map(({ number, line }) => (
        <Text key={number} dimColor={theme.muted && line.level === "debug"}>
          {cutText(`${line.level.padEnd(7)} ${line.text}`, columns)}
        </Text>
      ))}
    </Box>
  );
}

function barLine({ info, ...task }: LiveTask, columns: number, nowMs: number): string {
  const lead = `${statusMark(info.status, info.interrupted)} `;
  const elapsedMs = elapsedOf({ info, ...task }, nowMs);
  const facts = { name: info.tool, progress: info.progress, total: info.total, percent: info.percent, elapsedMs };
  return lead + progressLine({ ...facts, message: info.message }, columns - lead.length);
}

/** What is known of the task, one fact a line. */
export function factLines(task: LiveTask, columns: number): readonly string[] {
  const { info, result, problem, reconnecting } = task;
  const attempts = `attempt ${info.attempt}${info.generation > 1 ? `, generation ${info.generation}` : ""}`;
  const lines = [
    `${statusWord(info.status, info.interrupted)} · ${attempts} · ${info.itemCount} items · ${info.id}`,
    info.server,
    ...info.questions.map(({ message }) => `asks: ${message} (a answers)`),
    reconnecting === undefined ? undefined : `reconnecting: ${reconnecting}`,
    problem,
    info.error === undefined ? undefined : `error: ${info.error.message}`,
    result === undefined
      ? undefined
      : `result: ${result.text === "" ? JSON.stringify(result.structuredContent ?? null) : result.text}`,
  ];
  return lines.flatMap((text) => (text === undefined ? [] : [cutText(plainText(text), columns)]));
}

/** The lines of the log that are shown, newest last, with their numbers. */
export function logWindow(
  log: readonly LogLine[],
  up: number,
  rows: number,
): readonly { number: number; line: LogLine }[] {
  const end = log.length - Math.min(up, Math.max(0, log.length - 1));
  const from = Math.max(0, end - rows);
  return log.slice(from, end).map((line, index) => ({ number: from + index, line }));
}
