import { isAway, type ShownStatus, shownStatus } from "@resumable-mcp/protocol/display";
import type { ReactNode } from "react";
import type { PanelTask } from "../../model/panel-task.js";
import type { Texts } from "../../texts/texts.js";
import { useTexts } from "../../texts/texts.js";

/** What a task is shown as: its status, or what stands in the way of knowing it. */
export type BadgeKind = ShownStatus | "away" | "gone";

/** Decides what a task is shown as. */
export function badgeKind(task: PanelTask): BadgeKind {
  if (task.gone === true) return "gone";
  return isAway(task) ? "away" : shownStatus(task.info.status, task.info.interrupted);
}

/** What a task is shown as, in words: what was asked of it comes first. */
export function badgeText(task: PanelTask, texts: Texts): string {
  const kind = badgeKind(task);
  return task.requested !== undefined && kind !== "away" ? texts.requested[task.requested] : texts.status[kind];
}

/** The mark of each kind as a path in a square of 16: it reads without colour. */
const marks: Readonly<Record<BadgeKind, string>> = {
  pending: "M4 8h.01M8 8h.01M12 8h.01",
  running: "M6 4l6 4-6 4z",
  paused: "M6 4v8M10 4v8",
  input_required: "M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.6M8 12h.01",
  completed: "M4 8.5l2.7 2.7L12 5.5",
  failed: "M5 5l6 6M11 5l-6 6",
  cancelled: "M4.5 8h7",
  interrupted: "M8 4v5M8 12h.01",
  away: "M4 9c1.3-2 2.6-2 4 0s2.7 2 4 0",
  gone: "M5 5l6 6M11 5l-6 6",
};

/** A status as a mark and a word. */
export function StatusBadge({ task }: { readonly task: PanelTask }): ReactNode {
  const kind = badgeKind(task);
  return (
    <span className="badge" data-status={kind}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={marks[kind]} />
      </svg>
      {badgeText(task, useTexts())}
    </span>
  );
}
