import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { LiveTask } from "../../model/board-state.js";
import { visibleRange } from "../list-cursor.js";
import { TaskRow } from "../task-row.js";
import { useKeyState } from "../use-key-state.js";
import { type OpeningOutcome, reduceOpening } from "./opening-state.js";

/** The keys of the opening screen. */
export const openingKeys = ["Enter resume all", "r resume", "w watch", "c cancel", "m menu", "Ctrl-C leave"];

/** The first screen: what is not finished, and what to do with it. */
export function Opening(props: {
  readonly tasks: readonly LiveTask[];
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly onOutcome: (outcome: OpeningOutcome) => void;
}): ReactNode {
  const { tasks, columns, rows, nowMs, onOutcome } = props;
  const ids = tasks.map(({ info }) => info.id);
  const { cursor } = useKeyState((state, key) => reduceOpening(state, key, ids), { cursor: 0 }, onOutcome);
  const { from, to } = visibleRange(cursor, tasks.length, rows - 2);
  return (
    <Box flexDirection="column">
      <Text bold>{openingQuestion(tasks.length)}</Text>
      <Text> </Text>
      {tasks.slice(from, to).map((task, index) => (
        <TaskRow key={task.info.id} task={task} columns={columns} nowMs={nowMs} selected={from + index === cursor} />
      ))}
    </Box>
  );
}

/** The question that the program opens with. */
export function openingQuestion(count: number): string {
  const subject = count === 1 ? "1 of your tasks is not finished" : `${count} of your tasks are not finished`;
  return `${subject}: resume, watch, cancel?`;
}
