import { type ReactNode, useMemo } from "react";
import { countActivity } from "../../model/activity.js";
import type { PanelTask } from "../../model/panel-task.js";
import type { ListRange } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { timeText } from "../parts/time-text.js";
import { useNow } from "../parts/use-now.js";

interface ActivityProps {
  readonly tasks: readonly PanelTask[];
  readonly range: Exclude<ListRange, "all">;
}

const kinds = ["started", "ended", "failed"] as const;
/** How often the chart is counted again, in milliseconds. */
const countEveryMs = 5_000;

/** How many tasks started, ended and failed in the last hour or day, as a chart and in words. */
export function Activity({ tasks, range }: ActivityProps): ReactNode {
  const texts = useTexts();
  const nowMs = Math.ceil(useNow() / countEveryMs) * countEveryMs;
  const bars = useMemo(() => countActivity(tasks, range, nowMs), [tasks, range, nowMs]);
  const highest = Math.max(1, ...bars.flatMap((bar) => kinds.map((kind) => bar[kind])));
  const total = (kind: (typeof kinds)[number]) => bars.reduce((sum, bar) => sum + bar[kind], 0);
  return (
    <figure className="activity">
      <div className="activity-bars" aria-hidden="true">
        {bars.map((bar) => (
          <span
            key={bar.fromMs}
            className="activity-bar"
            title={`${timeText(new Date(bar.fromMs), texts.language)}: ${texts.activity(bar.started, bar.ended, bar.failed)}`}
          >
            {kinds.map((kind) => (
              <i key={kind} data-kind={kind} style={{ height: `${(100 * bar[kind]) / highest}%` }} />
            ))}
          </span>
        ))}
      </div>
      <figcaption className="muted">
        {texts.ranges[range]}: {texts.activity(total("started"), total("ended"), total("failed"))}
      </figcaption>
    </figure>
  );
}
