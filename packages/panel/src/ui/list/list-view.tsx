import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import type { PanelConnection } from "../../connection/connection.js";
import { mayAct, ownersReach } from "../../model/panel-state.js";
import type { PanelTask } from "../../model/panel-task.js";
import { maxListed } from "../../model/polls.js";
import { listColumns, type Route } from "../../model/route.js";
import { isDescending, shownTasks } from "../../model/task-list.js";
import type { Texts } from "../../texts/catalogue.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState } from "../panel-context.js";
import { badgeText } from "../parts/status-badge.js";
import { useRows } from "../parts/use-rows.js";
import { RunDialog } from "../run/run-dialog.js";
import { Activity } from "./activity.js";
import { BulkBar } from "./bulk-bar.js";
import { Failures, Statistics } from "./statistics.js";
import { TaskRow } from "./task-row.js";
import { Toolbar } from "./toolbar.js";

type ListRoute = Extract<Route, { readonly name: "list" }>;

/** Whose tasks a connection shows. */
function whose({ mode, signIn }: PanelConnection): keyof Texts["tasksOf"] {
  if (mode === "host") return "host";
  return signIn === undefined ? "machine" : "signedIn";
}

/** The caller's tasks. */
export function ListView({ route }: { readonly route: ListRoute }): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const tasks = usePanelState((state) => state.tasks);
  const listed = usePanelState((state) => state.listed);
  const total = usePanelState((state) => state.total);
  const allOwners = usePanelState((state) => state.allOwners);
  const isSteerable = usePanelState(mayAct);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => (listed ?? []).flatMap((id) => tasks.get(id) ?? []), [listed, tasks]);
  const shown = useMemo(
    () => shownTasks(all, route, (task) => badgeText(task, texts), Date.now()),
    [all, route, texts],
  );
  const chosen = useMemo(() => shown.filter(({ info }) => selected.has(info.id)), [shown, selected]);
  const clear = useCallback(() => setSelected(new Set()), []);
  const [isRunning, setRunning] = useState(false);
  const closeForm = useCallback(() => setRunning(false), []);
  const isCut = total > all.length && all.length >= maxListed;
  const allChosen = shown.length > 0 && chosen.length === shown.length;
  return (
    <div className="list-view">
      <h1 className="hidden">{texts.tasks}</h1>
      <Owners />
      <Statistics route={route} />
      <Failures route={route} />
      <Toolbar route={route} tasks={all} onRun={() => setRunning(true)} />
      {route.range !== "all" && (
        <Activity
          tasks={route.tool === "" ? all : all.filter(({ info }) => info.tool === route.tool)}
          range={route.range}
          newest={isCut ? all.length : undefined}
        />
      )}
      {isRunning && <RunDialog onDone={closeForm} />}
      {chosen.length > 0 && isSteerable && <BulkBar tasks={chosen} onClear={clear} />}
      <Rows
        shown={shown}
        selected={selected}
        onSelected={setSelected}
        route={route}
        head={
          <input
            type="checkbox"
            aria-label={texts.selectAll}
            checked={allChosen}
            disabled={shown.length === 0}
            onChange={() => setSelected(new Set(allChosen ? [] : shown.map(({ info }) => info.id)))}
          />
        }
      />
      {listed === undefined && <p className="empty">{texts.loading}</p>}
      {listed?.length === 0 && (
        <p className="empty">
          <strong>{texts.noTasks}</strong>
          <br />
          {texts.noTasksHelp}
        </p>
      )}
      <p className="list-foot muted">{texts.tasksOf[allOwners ? "all" : whose(model.connection)]}</p>
      {all.length > 0 && (
        <p className="list-foot muted">
          {shown.length === 0 ? texts.noMatch : texts.shownOf(shown.length, all.length)}
          {isCut ? ` ${texts.newestOf(all.length, total)}` : ""}
        </p>
      )}
    </div>
  );
}

/** The switch of an operator. A host passes it on to no server. */
function Owners(): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const allOwners = usePanelState((state) => state.allOwners);
  const reach = usePanelState(ownersReach);
  if (model.connection.mode === "host" || reach === "own") return null;
  return (
    <label className="sort">
      <input type="checkbox" checked={allOwners} onChange={({ target }) => model.showAllOwners(target.checked)} />
      {texts.allOwners}
      {allOwners && reach === "read" && <span className="muted">{texts.readOnly}</span>}
    </label>
  );
}

interface RowsProps {
  readonly shown: readonly PanelTask[];
  readonly selected: ReadonlySet<string>;
  readonly onSelected: (change: (last: ReadonlySet<string>) => ReadonlySet<string>) => void;
  readonly head: ReactNode;
  readonly route: ListRoute;
}

/** The rows that can be seen, of a list of any length. */
function Rows({ shown, selected, onSelected, head, route }: RowsProps): ReactNode {
  const texts = useTexts();
  const { go } = usePanel();
  const scroller = useRef<HTMLDivElement>(null);
  const { from, to, rowHeight } = useRows(scroller, shown.length);
  const onSelect = useCallback(
    (taskId: string, isSelected: boolean) =>
      onSelected((last) => new Set(isSelected ? [...last, taskId] : [...last].filter((id) => id !== taskId))),
    [onSelected],
  );
  const onOpen = useCallback((taskId: string) => go({ name: "task", taskId }), [go]);
  const { columns } = texts;
  return (
    <div
      className="rows"
      role="table"
      aria-label={texts.tasks}
      aria-rowcount={shown.length + 1}
      ref={scroller}
      hidden={shown.length === 0}
    >
      <div className="row row-head" role="row" aria-rowindex={1}>
        <span role="columnheader" className="cell-select">
          {head}
        </span>
        {listColumns.map((name) => {
          const isSorted = route.order === name;
          return (
            <span
              key={name}
              role="columnheader"
              className={`cell-${name}`}
              aria-sort={isSorted ? (isDescending(route) ? "descending" : "ascending") : undefined}
            >
              <button
                type="button"
                className="head-sort"
                onClick={() => go({ ...route, order: name, reversed: isSorted && !route.reversed })}
              >
                {columns[name]}
              </button>
            </span>
          );
        })}
      </div>
      <div className="rows-body" role="rowgroup" style={{ height: shown.length * rowHeight }}>
        {shown.slice(from, to).map((task, offset) => (
          <TaskRow
            key={task.info.id}
            task={task}
            index={from + offset}
            top={(from + offset) * rowHeight}
            selected={selected.has(task.info.id)}
            onSelect={onSelect}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}
