import { isFinal } from "@resumable-mcp/client";
import { inRange, rangeEndMs, rangeTexts, wasInterrupted } from "@resumable-mcp/protocol/display";
import { Box } from "ink";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { cutText, plainText, textWidth } from "../../display/plain-text.js";
import { resultPreview } from "../../display/task-status.js";
import { type BoardTask, taskMessage } from "../../model/board-task.js";
import { TaskPane } from "../detail/task-pane.js";
import { findKeys, findText, isTypingFilter } from "../keys/find.js";
import { keptCursor, type Range, visibleRange } from "../keys/key-rules.js";
import { offeredKeys } from "../keys/task-keys.js";
import { rowsOfList, useClicks } from "../keys/use-clicks.js";
import { useFooter } from "../keys/use-footer.js";
import { useKeyState } from "../keys/use-key-state.js";
import type { ScreenSize } from "../navigation.js";
import { Line } from "../parts/line.js";
import { columnTitles, shareColumns, type TaskColumns } from "../parts/task-columns.js";
import { TaskRow, useSameWidths } from "../parts/task-row.js";
import { useNow } from "../parts/use-now.js";
import { Activity, activityRows } from "./activity.js";
import {
  atDrawn,
  type BoardOutcome,
  type BoardViewState,
  boardKeys,
  initialBoardView,
  markedIds,
  reduceBoardView,
  shownTasks,
} from "./board-view-state.js";

/** Title, names of the columns, and the line that previews a result. */
const frameRows = 3;
/** Those of them above the tasks. */
const headRows = 2;
/** The chart needs as many rows for tasks. */
const leastTaskRows = 6;

/** From so many columns on the task at the cursor is shown next to the list. */
const wideColumns = 110;
/** The share of a wide screen that the list has. */
const listShare = 0.55;
/** The line between the two, and a space on each side. */
const gapColumns = 3;

/** All tasks with their live bars; only those that fit are drawn. On a wide screen the one at the cursor is next to them. */
export function Board(
  props: ScreenSize & {
    readonly tasks: ReadonlyMap<string, BoardTask>;
    /** Milliseconds since 1970. */
    readonly clock: () => number;
    readonly onOutcome: (outcome: BoardOutcome) => void;
    /** Asks for what happened to a task, and for its result once it is finished. */
    readonly onLook: (taskId: string) => void;
  },
): ReactNode {
  const { tasks: all, rows, clock, onOutcome, onLook } = props;
  const wide = props.columns >= wideColumns;
  const columns = wide ? Math.floor(props.columns * listShare) : props.columns;
  // A key means the task that the user saw at the cursor, also before the cursor was ever moved.
  const drawn = useRef<string>(undefined);
  const clicks = useClicks();
  const view = useKeyState(
    (state, key) => {
      const tasks = inRange(all.values(), state.range, rangeEndMs(clock()));
      return reduceBoardView(atDrawn(state, drawn.current), clicks.translate(key), tasks);
    },
    initialBoardView,
    onOutcome,
    isTypingFilter,
  );
  const { finished, filter, sort, range } = view;
  const nowMs = useNow(range !== "all", clock);
  const endMs = range === "all" ? 0 : rangeEndMs(nowMs);
  const tasks = useMemo(() => inRange(all.values(), range, endMs), [all, range, endMs]);
  const shown = useMemo(() => shownTasks(tasks, { finished, filter, sort }), [tasks, finished, filter, sort]);
  const ids = useMemo(() => shown.map(({ info }) => info.id), [shown]);
  const cursor = keptCursor(atDrawn(view, drawn.current), ids);
  drawn.current = ids[cursor];
  const hasChart = range !== "all" && rows - frameRows - activityRows >= leastTaskRows;
  const chartRows = hasChart ? activityRows : 0;
  const { from, to } = visibleRange(cursor, shown.length, rows - frameRows - chartRows);
  clicks.drawn({ cursor, indexAt: rowsOfList(headRows + chartRows, { from, to }) });
  const visible = shown.slice(from, to);
  const widths = useSameWidths(shareColumns(visible, columns));
  const current = shown[cursor];
  useFooter({ keys: footerKeys(view, shown, current), taskId: current?.info.id });
  useLookAtEnd(wide ? undefined : current, onLook);
  const list = (
    <Box flexDirection="column" width={columns} flexShrink={0}>
      <Line bold text={cutText(boardTitle(view, shown, { from, to }), columns)} />
      {hasChart ? <Activity tasks={tasks} {...{ range, endMs, columns }} /> : null}
      <Line
        dim={shown.length > 0}
        text={cutText(shown.length === 0 ? emptyText(view) : columnTitles(widths), columns)}
      />
      {visible.map((task, index) => (
        <TaskRow
          key={task.info.id}
          {...{ task, widths, columns }}
          nowMs={isFinal(task.info.status) ? 0 : nowMs}
          atCursor={from + index === cursor}
          marked={view.marked.has(task.info.id)}
        />
      ))}
      <Line text={wide ? " " : previewLine(current, widths, columns)} />
    </Box>
  );
  if (!wide) return list;
  const room = props.columns - columns - gapColumns;
  return (
    <Box>
      {list}
      <Box flexDirection="column" flexShrink={0} height={rows} paddingX={1} {...leftBorder}>
        {current === undefined ? null : <TaskPane task={current} columns={room} {...{ rows, nowMs, onLook }} />}
      </Box>
    </Box>
  );
}

const leftBorder = {
  ...({ borderStyle: "single", borderDimColor: true } as const),
  ...{ borderTop: false, borderRight: false, borderBottom: false },
};

function footerKeys(view: BoardViewState, shown: readonly BoardTask[], current: BoardTask | undefined) {
  if (view.typing) return findKeys;
  const marked = new Set(markedIds(view, shown));
  const chosen = marked.size > 0 ? shown.filter(({ info }) => marked.has(info.id)) : current ? [current] : [];
  return offeredKeys(boardKeys, { chosen, interrupted: shown.some(wasInterrupted) });
}

/** Asks for the result of the finished task at the cursor. */
function useLookAtEnd(current: BoardTask | undefined, onLook: (taskId: string) => void): void {
  const unread = current !== undefined && isFinal(current.info.status) && current.result === undefined;
  const wanted = unread && current.problem === undefined ? current.info.id : undefined;
  useEffect(() => {
    if (wanted !== undefined) onLook(wanted);
  }, [wanted, onLook]);
}

/** The first line: what part of the list is seen, and how it is narrowed and ordered. */
function boardTitle(view: BoardViewState, shown: readonly BoardTask[], { from, to }: Range): string {
  const marked = markedIds(view, shown).length;
  const parts = [
    shown.length === 0 ? "Tasks" : `Tasks ${from + 1}-${to} of ${shown.length}`,
    findText(view),
    marked === 0 ? "" : `${marked} marked`,
    view.finished ? "" : "unfinished only",
    view.range === "all" ? "" : rangeTexts[view.range].toLowerCase(),
    view.sort === "newest" ? "" : `by ${view.sort}`,
  ];
  return parts.filter((part) => part !== "").join("  ");
}

function emptyText({ filter, finished, range }: BoardViewState): string {
  if (filter !== "" || range !== "all") return "No tasks that match. Esc shows all.";
  return finished ? "No tasks. 1 calls a tool." : "No unfinished tasks. u shows all.";
}

/** The result of what is over; of what is not, its message where the row has no room for that. */
function previewLine(task: BoardTask | undefined, widths: TaskColumns, columns: number): string {
  if (task === undefined) return " ";
  const preview = resultPreview(task.result);
  if (preview !== undefined) return cutText(`result: ${preview}`, columns);
  const message = plainText(taskMessage(task));
  return textWidth(message) <= widths.message ? " " : cutText(message, columns);
}
