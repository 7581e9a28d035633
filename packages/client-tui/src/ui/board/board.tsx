import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { LiveTask } from "../../model/board-state.js";
import { visibleRange } from "../list-cursor.js";
import { TaskRow } from "../task-row.js";
import { useKeyState } from "../use-key-state.js";
import { type BoardOutcome, initialBoardView, reduceBoardView, shownTasks } from "./board-view-state.js";

/** The keys of the list of tasks. */
export const boardKeys = ["Enter open", "p pause", "r resume", "c cancel", "f forget", "u open only", "/ find", "Esc"];

/** All tasks with their live bars. */
export function Board(props: {
  readonly tasks: readonly LiveTask[];
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly onOutcome: (outcome: BoardOutcome) => void;
}): ReactNode {
  const { tasks, columns, rows, nowMs, onOutcome } = props;
  const view = useKeyState((state, key) => reduceBoardView(state, key, tasks), initialBoardView, onOutcome);
  const shown = shownTasks(tasks, view);
  const cursor = Math.min(view.cursor, Math.max(0, shown.length - 1));
  const { from, to } = visibleRange(cursor, shown.length, rows - 2);
  const filter = view.typing || view.filter !== "" ? `  /${view.filter}${view.typing ? "_" : ""}` : "";
  return (
    <Box flexDirection="column">
      <Text bold>
        Tasks {shown.length === 0 ? 0 : from + 1}-{to} of {shown.length}
        {filter}
      </Text>
      {shown.length === 0 ? <Text>No tasks{view.filter === "" ? "" : " that match"}.</Text> : null}
      {shown.slice(from, to).map((task, index) => (
        <TaskRow key={task.info.id} task={task} columns={columns} nowMs={nowMs} selected={from + index === cursor} />
      ))}
    </Box>
  );
}
