import { toolTitle } from "@resumable-mcp/protocol/display";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { lineText } from "../model/bounded.js";
import type { PanelModel } from "../model/panel-model.js";
import { listRoute, type Route, readRoute, type ScreenPart, viewKey, writeRoute } from "../model/route.js";
import { TextsContext, textsFor, useTexts } from "../texts/texts.js";
import { Frame } from "./frame.js";
import { ListView } from "./list/list-view.js";
import { PanelContext, usePanel, usePanelState } from "./panel-context.js";
import { Empty } from "./parts/empty.js";
import { useKeys } from "./parts/use-keys.js";
import { ServerView } from "./server/server-view.js";
import { SignIn } from "./sign-in.js";
import { TaskScreen } from "./task/task-screen.js";

/** The whole panel. */
export function App({ model }: { readonly model: PanelModel }): ReactNode {
  const { connection } = model;
  const facts = useSyncExternalStore(connection.subscribe, connection.facts, connection.facts);
  const texts = textsFor(facts.locale ?? navigator.language);
  const [route, go] = useRoute(model);
  const [showsKeys, setShowsKeys] = useState(false);
  useKeys(useCallback(() => setShowsKeys(true), []));
  const controls = useMemo(() => ({ model, go }), [model, go]);
  useEffect(() => {
    const { documentElement: root } = document;
    root.lang = texts.language;
    root.dataset.mode = connection.mode;
    if (facts.theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = facts.theme;
  }, [texts, facts.theme, connection.mode]);
  return (
    <PanelContext value={controls}>
      <TextsContext value={texts}>
        <Frame route={route}>
          <View route={route} />
        </Frame>
        {showsKeys && <Keys onDone={() => setShowsKeys(false)} />}
      </TextsContext>
    </PanelContext>
  );
}

/** Which key does what. */
function Keys({ onDone }: { readonly onDone: () => void }): ReactNode {
  const texts = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="confirm" aria-label={texts.keysTitle} onClose={onDone}>
      <dl className="keys">
        {Object.entries(texts.keysOf).map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="actions">
        <button type="button" onClick={onDone}>
          {texts.close}
        </button>
      </div>
    </dialog>
  );
}

/** Where the user is: in the browser the address keeps it, so that it survives a reload and has a history. */
function useRoute(model: PanelModel): readonly [Route, (route: Route) => void] {
  const inBrowser = model.connection.mode === "browser";
  const [route, setRoute] = useState<Route>(() => (inBrowser ? readRoute(location.hash) : { name: "opened" }));
  useEffect(() => model.look(route), [model, route]);
  useEffect(() => {
    if (!inBrowser) return;
    const read = () => setRoute(readRoute(location.hash));
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [inBrowser]);
  const go = useCallback(
    (next: Route) => {
      setRoute((last) => {
        if (inBrowser) writeAddress(next, viewKey(last) !== viewKey(next));
        return next;
      });
    },
    [inBrowser],
  );
  return [route, go];
}

/** Another view or task is a step of the history; another part or filter of the same view is not. */
function writeAddress(route: Route, isStep: boolean): void {
  const address = writeRoute(route);
  if (address === location.hash) return;
  if (isStep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

function View({ route }: { readonly route: Route }): ReactNode {
  const { go } = usePanel();
  const isSignedOut = usePanelState(({ link }) => link.name === "signed_out");
  if (isSignedOut) return <SignIn />;
  if (route.name === "list") return <ListView route={route} />;
  if (route.name === "server") return <ServerView />;
  if (route.name === "opened") return <OpenedView part={route.part} />;
  const { taskId } = route;
  return (
    <TaskScreen
      key={taskId}
      taskId={taskId}
      part={route.part}
      onPart={(part) => go({ name: "task", taskId, part })}
      isListed
    />
  );
}

/** What the host has opened the view for. */
function OpenedView({ part }: { readonly part: ScreenPart | undefined }): ReactNode {
  const texts = useTexts();
  const { go, model } = usePanel();
  const opened = usePanelState((state) => state.opened);
  if (opened.name === "found")
    return (
      <TaskScreen
        taskId={opened.taskId}
        part={part}
        onPart={(next) => go({ name: "opened", part: next })}
        isListed={false}
      />
    );
  if (opened.name === "list") return <OpenedList />;
  const { tool, title } = model.connection.facts().opened ?? {};
  const name = tool && lineText(toolTitle({ tool, title }));
  return <Empty title={opened.name === "none" ? texts.noTaskHere : texts.looking(name)} />;
}

/** The list in a host keeps its filters to itself: the view stays that of the call. */
function OpenedList(): ReactNode {
  const { go } = usePanel();
  useEffect(() => go(listRoute), [go]);
  return null;
}
