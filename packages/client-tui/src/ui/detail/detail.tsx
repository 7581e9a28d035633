import type { ReactNode } from "react";
import { wrapText } from "../../display/plain-text.js";
import type { BoardTask } from "../../model/board-task.js";
import { findKeys, isTypingFilter } from "../keys/find.js";
import type { KeyPress } from "../keys/key-press.js";
import { isLeaving } from "../keys/key-rules.js";
import { offeredKeys } from "../keys/task-keys.js";
import { useFooter } from "../keys/use-footer.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import type { ScreenSize } from "../navigation.js";
import { Line } from "../parts/line.js";
import {
  type DetailOutcome,
  type DetailState,
  detailKeys,
  initialDetailState,
  type Pane,
  reduceDetail,
} from "./detail-state.js";
import { detailContent } from "./detail-view.js";
import { TaskPane } from "./task-pane.js";

const goneText = "This task no longer exists: it was deleted, or its server no longer knows it. Esc goes back.";

/** One task on the whole screen: its bar, its facts, and one of its parts: timeline, log, steps, result. */
export function Detail(
  props: ScreenSize & {
    readonly task: BoardTask | undefined;
    readonly nowMs: number;
    readonly onOutcome: (outcome: DetailOutcome) => void;
    readonly onLook: (taskId: string) => void;
  },
): ReactNode {
  const { task, columns, rows, nowMs, onOutcome, onLook } = props;
  const state = useKeyState(
    (now, key) => (task === undefined ? leaveOnly(now, key) : reduceDetail(now, key, detailContent(task, now))),
    initialDetailState,
    onOutcome,
    isTypingFilter,
  );
  useFooter({ keys: footerKeys(task, state), taskId: task?.info.id });
  if (task === undefined) return wrapText(goneText, columns).map((text) => <Line key={text} text={text} />);
  return <TaskPane {...{ task, state, columns, rows, nowMs, onLook }} />;
}

function leaveOnly(state: DetailState, key: KeyPress): KeyStep<DetailState, DetailOutcome> {
  return { state, outcome: isLeaving(key) ? "back" : undefined };
}

/** The keys of one part alone, by their words. */
const partKeys: ReadonlyMap<string, Pane> = new Map([
  ["l log level", "log"],
  ["/ find", "log"],
  ["s stack", "timeline"],
  ["Enter fold, unfold", "result"],
]);

function footerKeys(task: BoardTask | undefined, state: DetailState): readonly string[] {
  if (task === undefined) return ["Esc back"];
  if (state.typing) return findKeys;
  const { pane, hasStack } = detailContent(task, state);
  const table = detailKeys.filter((line) => (partKeys.get(line) ?? pane) === pane && (hasStack || line !== "s stack"));
  return offeredKeys(table, { chosen: [task], interrupted: false });
}
