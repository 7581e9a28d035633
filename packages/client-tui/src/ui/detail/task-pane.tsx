import { Box } from "ink";
import { type ReactNode, useEffect, useMemo } from "react";
import { countText, cutText, fitText, textWidth } from "../../display/plain-text.js";
import { type BoardTask, isAway } from "../../model/board-task.js";
import { findText } from "../keys/find.js";
import { visibleRange } from "../keys/key-rules.js";
import type { ScreenSize } from "../navigation.js";
import { Line } from "../parts/line.js";
import { shareColumns, taskLineText } from "../parts/task-columns.js";
import { useTheme } from "../theme.js";
import { type DetailState, initialDetailState, type Pane, panes } from "./detail-state.js";
import { type DetailContent, detailContent, factLines, visibleLines } from "./detail-view.js";

/** Least time between two reads of a journal. */
const lookAgainMs = 3_000;

/** The task's bar, and the names of its parts. */
const frameRows = 2;
/** What facts leave to the part that one looks at: this, or a third of the screen. */
const leastPaneRows = 2;

const empty: Readonly<Record<Pane, string>> = {
  timeline: "Its server gives no timeline.",
  log: "No log messages.",
  steps: "No remembered steps.",
  result: "No result yet.",
};

function emptyText(pane: Pane, { filter }: DetailState): string {
  return pane === "log" && filter !== "" ? "No line matches. Esc shows all." : empty[pane];
}

/** Nothing is known of what is not there. */
const awayText = "Its server is away: nothing of this is known.";

/** One task: its bar, its facts, and one of its parts; without a state of its own screen, as it is first seen. */
export function TaskPane(
  props: ScreenSize & {
    readonly task: BoardTask;
    readonly state?: DetailState;
    readonly nowMs: number;
    /** Asks for what happened up to the place that is known of. */
    readonly onLook: (taskId: string) => void;
  },
): ReactNode {
  const { task, state = initialDetailState, columns, rows, nowMs, onLook } = props;
  const { id, status, attempt, lastSeq } = task.info;
  const { status: colors } = useTheme();
  // A running task's journal is read again now and then; events in between arrive live.
  const moment = (task.journal?.lastSeq ?? -1) < lastSeq ? Math.floor(nowMs / lookAgainMs) : 0;
  useEffect(() => onLook(id), [id, status, attempt, moment, onLook]);
  const content = useMemo(() => detailContent(task, state), [task, state]);
  const facts = factLines(task, { columns, nowMs, most: factRows(rows) });
  return (
    <Box flexDirection="column">
      <Line bold color={colors[status]} text={headText(task, columns, nowMs)} />
      {facts.map((text, index) => (
        <Line key={index} text={text} />
      ))}
      <Line bold text={paneTitle(content, state, columns)} />
      <PaneBody
        {...{ content, state, columns }}
        away={isAway(task)}
        rows={Math.max(1, rows - facts.length - frameRows)}
      />
    </Box>
  );
}

function factRows(rows: number): number {
  return Math.max(1, rows - frameRows - Math.max(leastPaneRows, Math.floor(rows / 3)));
}

function headText(task: BoardTask, columns: number, nowMs: number): string {
  const look = { nowMs, atCursor: false, marked: false };
  return cutText(taskLineText(task, shareColumns([task], columns), look).slice(2), columns);
}

/** The names of the parts, the present one in brackets, and where one is in it; without room for all, only that one. */
function paneTitle(content: DetailContent, state: DetailState, columns: number): string {
  const names = panes.map((pane) => (pane === content.pane ? `[${pane}]` : ` ${pane} `));
  const level = state.level === "debug" ? "" : `level ≥ ${state.level}`;
  const narrowed = content.pane === "log" ? [level, findText(state)] : [];
  const how = narrowed.map((text) => (text === "" ? "" : `  ${text}`)).join("");
  const where = content.pane === "result" || state.up === 0 ? "" : `  ${countText(state.up, "line")} up, End follows`;
  const title = names.join("") + how + where;
  const present = names[panes.indexOf(content.pane)] ?? "";
  return textWidth(title) <= columns ? title : cutText(present + how + where, columns);
}

function PaneBody(
  props: ScreenSize & { readonly content: DetailContent; readonly state: DetailState; readonly away: boolean },
): ReactNode {
  const { content, state, away, columns, rows } = props;
  const { pane, tree, lines } = content;
  if ((pane === "result" ? tree : lines).length === 0)
    return <Line dim text={cutText(away ? awayText : emptyText(pane, state), columns)} />;
  if (pane !== "result")
    return visibleLines(lines, state.up, rows).map(({ key, text, muted }) => (
      <Line key={key} dim={muted} text={cutText(text, columns)} />
    ));
  const cursor = Math.min(state.cursor, tree.length - 1);
  const { from, to } = visibleRange(cursor, tree.length, rows);
  return tree.slice(from, to).map(({ path, depth, text, open }, index) => {
    const fold = open === undefined ? " " : open ? "-" : "+";
    const line = `${"  ".repeat(depth)}${fold} ${text}`;
    return <Line key={path} inverse={from + index === cursor} text={fitText(line, columns)} />;
  });
}
