import { compareTexts, listRanges, toolTitle } from "@resumable-mcp/protocol/display";
import { type ReactNode, useMemo } from "react";
import { lineText } from "../../model/bounded.js";
import type { PanelTask } from "../../model/panel-task.js";
import { listFilters, listOrders, type Route } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, useToolTitle } from "../panel-context.js";

/** Tools that can be chosen among. */
const maxTools = 200;

interface ToolbarProps {
  readonly route: Extract<Route, { readonly name: "list" }>;
  readonly tasks: readonly PanelTask[];
  readonly onRun: () => void;
}

/** What narrows and sorts the list, and the way to a new task. */
export function Toolbar({ route, tasks, onRun }: ToolbarProps): ReactNode {
  const texts = useTexts();
  const { go } = usePanel();
  return (
    <div className="toolbar">
      <input
        type="search"
        aria-label={texts.find}
        placeholder={`${texts.find}: ${texts.findHelp}`}
        value={route.words}
        onChange={(event) => go({ ...route, words: event.target.value })}
      />
      <div className="filters" role="group" aria-label={texts.columns.status}>
        {listFilters.map((show) => (
          <button key={show} type="button" aria-pressed={route.show === show} onClick={() => go({ ...route, show })}>
            {texts.filters[show]}
          </button>
        ))}
      </div>
      <Tools route={route} tasks={tasks} />
      <select
        aria-label={texts.range}
        value={route.range}
        onChange={({ target }) => go({ ...route, range: listRanges.find((one) => one === target.value) ?? "all" })}
      >
        {listRanges.map((one) => (
          <option key={one} value={one}>
            {texts.ranges[one]}
          </option>
        ))}
      </select>
      <label className="sort">
        <span className="muted">{texts.sort}</span>
        <select
          value={route.order}
          onChange={({ target }) =>
            go({ ...route, order: listOrders.find((one) => one === target.value) ?? "newest", reversed: false })
          }
        >
          {listOrders.map((one) => (
            <option key={one} value={one}>
              {one === "newest" ? texts.newest : texts.columns[one]}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={onRun}>
        {texts.runTool}…
      </button>
    </div>
  );
}

/** Chooses a tool, where tasks of several are listed. */
function Tools({ route, tasks }: Omit<ToolbarProps, "onRun">): ReactNode {
  const texts = useTexts();
  const { go } = usePanel();
  const titleOf = useToolTitle();
  const tools = useMemo(() => {
    const named = new Map(tasks.map(({ info }) => [info.tool, lineText(toolTitle(info), 40)]));
    return [...named].toSorted(([, left], [, right]) => compareTexts(left, right)).slice(0, maxTools);
  }, [tasks]);
  if (tools.length < 2 && route.tool === "") return null;
  return (
    <select
      aria-label={texts.ofTool}
      value={route.tool}
      onChange={({ target }) => go({ ...route, tool: target.value })}
    >
      <option value="">{texts.allTools}</option>
      {tools.map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
      {route.tool !== "" && !tools.some(([name]) => name === route.tool) && (
        <option value={route.tool}>{titleOf(route.tool, 40)}</option>
      )}
    </select>
  );
}
