import type { ServerInfo } from "@resumable-mcp/client";
import { wasInterrupted } from "@resumable-mcp/protocol/display";
import { Box } from "ink";
import type { ReactNode } from "react";
import { cutText, plainText } from "../../display/plain-text.js";
import { ageText, type BoardTask } from "../../model/board-task.js";
import { keptCursor, visibleRange } from "../keys/key-rules.js";
import { offeredKeys } from "../keys/task-keys.js";
import { rowsOfList, useClicks } from "../keys/use-clicks.js";
import { useFooter } from "../keys/use-footer.js";
import { useKeyState } from "../keys/use-key-state.js";
import type { ScreenSize } from "../navigation.js";
import { Line } from "../parts/line.js";
import { shareColumns } from "../parts/task-columns.js";
import { TaskRow, useSameWidths } from "../parts/task-row.js";
import {
  type OpeningOutcome,
  openingKeys,
  openingLines,
  openingTasks,
  openingTitle,
  reduceOpening,
} from "./opening-state.js";

/** The title, and what was last heard of the task at the cursor. */
const frameRows = 2;
/** From so many rows on there is an empty line below the title. */
const roomyRows = 10;

/** The first screen: which servers answer, what is not finished there, and what to do with it. */
export function Opening(
  props: ScreenSize & {
    readonly servers: readonly ServerInfo[];
    readonly tasks: readonly BoardTask[];
    readonly ready: boolean;
    readonly nowMs: number;
    readonly onOutcome: (outcome: OpeningOutcome) => void;
  },
): ReactNode {
  const { servers, ready, columns, rows, nowMs, onOutcome } = props;
  const lines = openingLines(servers, props.tasks);
  const tasks = openingTasks(lines);
  const ids = tasks.map(({ info }) => info.id);
  const clicks = useClicks();
  const state = useKeyState((now, key) => reduceOpening(now, clicks.translate(key), ids), { cursor: 0 }, onOutcome);
  const current = tasks[keptCursor(state, ids)];
  const chosen = current === undefined ? [] : [current];
  // Servers that have not answered yet may have interrupted tasks, too.
  useFooter({
    keys: offeredKeys(openingKeys, { chosen, interrupted: !ready || tasks.some(wasInterrupted) }),
    taskId: current?.info.id,
  });
  const at = lines.findIndex(({ key }) => key === current?.info.id);
  const gap = rows < roomyRows ? 0 : 1;
  const { from, to } = visibleRange(Math.max(0, at), lines.length, rows - frameRows - gap);
  clicks.drawn({
    cursor: keptCursor(state, ids),
    indexAt(row) {
      const line = lines[rowsOfList(1 + gap, { from, to })(row) ?? -1];
      return line?.kind === "task" ? ids.indexOf(line.key) : undefined;
    },
  });
  const widths = useSameWidths({ ...shareColumns(tasks, columns), server: 0 });
  return (
    <Box flexDirection="column">
      <Line bold text={cutText(openingTitle(tasks, ready), columns)} />
      {gap === 0 ? null : <Line text=" " />}
      {lines
        .slice(from, to)
        .map((line) =>
          line.kind === "server" ? (
            <Line key={line.key} text={cutText(line.text, columns)} />
          ) : (
            <TaskRow key={line.key} task={line.task} {...{ widths, columns, nowMs }} atCursor={line.task === current} />
          ),
        )}
      <Line text={current === undefined ? " " : cutText(lastMessage(current, nowMs), columns)} />
    </Box>
  );
}

function lastMessage(task: BoardTask, nowMs: number): string {
  const { message } = task.info;
  return plainText(`updated ${ageText(task, nowMs)}${message === undefined ? "" : `: ${message}`}`);
}
