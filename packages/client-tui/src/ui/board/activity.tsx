import {
  activityKinds,
  activityText,
  countActivity,
  type ListRange,
  rangeTexts,
} from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo } from "react";
import { cutText } from "../../display/plain-text.js";
import type { BoardTask } from "../../model/board-task.js";
import { Line } from "../parts/line.js";
import { useTheme } from "../theme.js";

/** The chart in words, and a line for each kind of its bars. */
export const activityRows = 1 + activityKinds.length;

const [none, ...levels] = "▁▂▃▄▅▆▇█";
const statuses = { started: "running", ended: "completed", failed: "failed" } as const;
const nameColumns = Math.max(...activityKinds.map(({ length }) => length));

/** How many tasks started, ended and failed in the time before `endMs`, in words and as a chart. */
export function Activity(props: {
  readonly tasks: readonly BoardTask[];
  readonly range: Exclude<ListRange, "all">;
  readonly endMs: number;
  readonly columns: number;
}): ReactNode {
  const { tasks, range, endMs, columns } = props;
  const { status } = useTheme();
  const { bars, total, highest } = useMemo(() => countActivity(tasks, range, endMs), [tasks, range, endMs]);
  const level = (count: number) => (count === 0 ? none : levels[Math.ceil((levels.length * count) / highest) - 1]);
  return (
    <>
      <Line text={cutText(`${rangeTexts[range]}: ${activityText(total)}`, columns)} />
      {activityKinds.map((kind) => {
        const chart = bars.map((bar) => level(bar[kind])).join("");
        return <Line key={kind} color={status[statuses[kind]]} text={`${kind.padEnd(nameColumns)} ${chart}`} />;
      })}
    </>
  );
}
