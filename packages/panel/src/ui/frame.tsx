import { formatDuration, taskName } from "@resumable-mcp/protocol/display";
import { type ReactNode, useEffect, useRef } from "react";
import { lineText } from "../model/bounded.js";
import { listRoute, type Route, writeRoute } from "../model/route.js";
import { useTexts } from "../texts/texts.js";
import { usePanel, usePanelState } from "./panel-context.js";
import { Notices } from "./parts/notices.js";
import { badgeText } from "./parts/status-badge.js";
import { useNow } from "./parts/use-now.js";

/** What stands around every view: routes, the link to the server, notices, and what a screen reader hears. */
export function Frame({ route, children }: { readonly route: Route; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <Head route={route} />
      <Reconnecting />
      <Notices />
      <Main route={route}>{children}</Main>
      <Announcer route={route} />
    </>
  );
}

function Head({ route }: { readonly route: Route }): ReactNode {
  const texts = useTexts();
  const { model, go } = usePanel();
  const { connection } = model;
  const link = usePanelState((state) => state.link.name);
  const isOperator = usePanelState(({ server }) => server !== undefined && server !== "denied");
  useEffect(() => {
    document.documentElement.dataset.state = link;
  }, [link]);
  if (link === "signed_out") return null;
  const routes: readonly (readonly [Route, string])[] = [
    ...(connection.mode === "host" ? [[{ name: "opened" }, texts.thisTask] as const] : []),
    [listRoute, connection.mode === "host" ? texts.allTasks : texts.tasks],
    ...(isOperator || route.name === "server" ? [[{ name: "server" }, texts.server] as const] : []),
  ];
  const isHere = ({ name }: Route) => name === route.name || (name === "list" && route.name === "task");
  return (
    <header className="head">
      <nav>
        {routes.map(([to, text]) => (
          <a
            key={to.name}
            href={writeRoute(to)}
            aria-current={isHere(to) ? "page" : undefined}
            onClick={(event) => {
              event.preventDefault();
              go(to);
            }}
          >
            {text}
          </a>
        ))}
      </nav>
      {connection.serverName !== undefined && (
        <span className="muted server-name">{lineText(connection.serverName, 60)}</span>
      )}
      <span className="link" data-link={link}>
        {texts.link[link]}
      </span>
      {connection.signIn?.signedIn === true && (
        <button type="button" className="quiet" onClick={() => connection.signIn?.signOut()}>
          {texts.signOut}
        </button>
      )}
    </header>
  );
}

/** Another view takes the focus, so that the keyboard and a screen reader are where the user looks. */
function Main({ route, children }: { readonly route: Route; readonly children: ReactNode }): ReactNode {
  const main = useRef<HTMLElement>(null);
  const view = route.name === "task" ? route.taskId : route.name;
  const shown = useRef(view);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    main.current?.focus();
    window.scrollTo(0, 0);
  }, [view]);
  return (
    <main ref={main} tabIndex={-1}>
      {children}
    </main>
  );
}

/** Says that the server is away, why, and when it is tried again. */
function Reconnecting(): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const link = usePanelState((state) => state.link);
  const nowMs = useNow(link.name === "reconnecting");
  if (link.name !== "reconnecting") return null;
  const leftMs = link.retryAtMs - nowMs;
  return (
    <div className="banner" data-kind="away">
      <p>
        {leftMs > 0 ? texts.reconnectingIn(formatDuration(leftMs + 999)) : texts.reconnectingNow}
        <span className="muted"> {lineText(link.reason)}</span>
      </p>
      <button type="button" onClick={() => model.pollNow()}>
        {texts.retryNow}
      </button>
    </div>
  );
}

/** What a screen reader says when it changes: the link, and how the task stands that is looked at. */
function Announcer({ route }: { readonly route: Route }): ReactNode {
  const texts = useTexts();
  const link = usePanelState((state) => state.link.name);
  const task = usePanelState(({ tasks, opened }) => {
    if (route.name === "task") return tasks.get(route.taskId);
    return route.name === "opened" && opened.name === "found" ? tasks.get(opened.taskId) : undefined;
  });
  const question = task?.info.status === "input_required" ? task.info.questions[0]?.message : undefined;
  const parts = [
    link === "live" ? undefined : texts.link[link],
    task && badgeText(task, texts),
    question && lineText(question),
  ];
  const name = task === undefined ? texts.tasks : lineText(taskName(task.info), 60);
  const percent = task?.info.percent;
  useEffect(() => {
    document.title = percent === undefined ? name : `${percent}% ${name}`;
  }, [name, percent]);
  return (
    <div role="status" aria-live="polite" className="hidden">
      {parts.filter(Boolean).join(": ")}
    </div>
  );
}
