import { activityKinds, countActivity, type ListRange, rangeEndMs } from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo } from "react";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { timeText } from "../parts/time-text.js";
import { useNow } from "../parts/use-now.js";

interface ActivityProps {
  readonly tasks: readonly PanelTask[];
  readonly range: Exclude<ListRange, "all">;
  /** Only so many tasks are known, the newest. */
  readonly newest: number | undefined;
}

/** How many tasks started, ended and failed in the last hour or day, as a chart and in words. */
export function Activity({ tasks, range, newest }: ActivityProps): ReactNode {
  const texts = useTexts();
  const endMs = rangeEndMs(useNow());
  const { bars, total, highest } = useMemo(() => countActivity(tasks, range, endMs), [tasks, range, endMs]);
  return (
    <figure className="activity">
      <div className="activity-bars" aria-hidden="true">
        {bars.map((bar) => (
          <span
            key={bar.fromMs}
            className="activity-bar"
            title={`${timeText(new Date(bar.fromMs), texts.language)}: ${texts.activity(bar)}`}
          >
            {activityKinds.map((kind) => (
              <i key={kind} data-kind={kind} style={{ height: `${(100 * bar[kind]) / highest}%` }} />
            ))}
          </span>
        ))}
      </div>
      <figcaption className="muted">
        {texts.ranges[range]}: {texts.activity(total)}
        {newest !== undefined && `. ${texts.countsNewest(newest)}`}
      </figcaption>
    </figure>
  );
}
