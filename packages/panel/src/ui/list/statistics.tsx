import { finalStatuses, unfinishedStatuses } from "@resumable-mcp/protocol";
import type { ReactNode } from "react";
import type { Route } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState } from "../panel-context.js";

const statuses = [...unfinishedStatuses, ...finalStatuses];

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
