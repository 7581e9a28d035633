import { isMoving } from "@resumable-mcp/protocol/display";
import type { ReactNode } from "react";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { badgeKind } from "./status-badge.js";

/** How far a task is, as a bar; of a task whose end is unknown, whether it moves. */
export function ProgressBar({ task }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { percent } = task.info;
  const moves = isMoving(task);
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={texts.progress}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== undefined && { "aria-valuenow": percent })}
      data-status={badgeKind(task)}
      data-unknown={percent === undefined && moves ? "" : undefined}
    >
      <div className="bar-fill" style={{ width: `${percent ?? (moves ? 30 : 0)}%` }} />
    </div>
  );
}
