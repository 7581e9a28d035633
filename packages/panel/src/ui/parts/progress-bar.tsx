import { isMoving, progressNumbers } from "@resumable-mcp/protocol/display";
import type { ReactNode } from "react";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { badgeKind } from "./status-badge.js";

/** How far a task is, in numbers; of one that reports no progress, nothing. */
export function farText(info: PanelTask["info"]): string {
  return info.progress === 0 && info.total === undefined ? "" : progressNumbers(info);
}

/** How far a task is, as a bar; of a task whose end is unknown, whether it moves. */
export function ProgressBar({ task }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { percent } = task.info;
  const isUnknown = percent === undefined && isMoving(task);
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={texts.progress}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== undefined && { "aria-valuenow": percent })}
      data-status={badgeKind(task)}
      data-unknown={isUnknown ? "" : undefined}
    >
      {/* A transform moves no other element, so that many bars can move at once. */}
      <div className="bar-fill" style={isUnknown ? undefined : { transform: `scaleX(${(percent ?? 0) / 100})` }} />
    </div>
  );
}
