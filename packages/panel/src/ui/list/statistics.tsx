import { finalStatuses, unfinishedStatuses } from "@resumable-mcp/protocol";
import type { ReactNode } from "react";
import type { Route } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState, useToolTitle } from "../panel-context.js";

const statuses = [...unfinishedStatuses, ...finalStatuses];

/** Tools with failures that are shown: those with the most. */
const maxFailures = 12;

/** How many tasks there are of each status; one click finds them. */
export function Statistics({ route }: { readonly route: Extract<Route, { readonly name: "list" }> }): ReactNode {
  const texts = useTexts();
  const { go } = usePanel();
  const counts = usePanelState((state) => state.counts);
  const total = usePanelState((state) => state.total);
  if (counts === undefined || total === 0) return null;
  return (
    <ul className="statistics">
      {statuses.map((status) => {
        const word = texts.status[status];
        const isChosen = route.words === word;
        return (
          <li key={status} data-status={status} data-none={counts[status] ? undefined : ""}>
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={() => go({ ...route, show: "all", words: isChosen ? "" : word })}
            >
              <span className="statistic">{counts[status] ?? 0}</span> {word}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Which tools fail, of all owners; one click finds the tasks. */
export function Failures({ route }: { readonly route: Extract<Route, { readonly name: "list" }> }): ReactNode {
  const texts = useTexts();
  const { go } = usePanel();
  const failed = usePanelState(({ failedByTool }) => failedByTool);
  const titleOf = useToolTitle();
  if (failed === undefined || Object.keys(failed).length === 0) return null;
  return (
    <ul className="statistics" aria-label={texts.failedByTool}>
      {Object.entries(failed)
        .slice(0, maxFailures)
        .map(([tool, count]) => {
          const isChosen = route.show === "failed" && route.tool === tool;
          return (
            <li key={tool} data-status="failed">
              <button
                type="button"
                aria-pressed={isChosen}
                onClick={() => go({ ...route, show: isChosen ? "all" : "failed", tool: isChosen ? "" : tool })}
              >
                <span className="statistic">{count}</span> {titleOf(tool, 40)}
              </button>
            </li>
          );
        })}
    </ul>
  );
}
