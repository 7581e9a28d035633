import { type ReactNode, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { lineText } from "../model/bounded.js";
import type { PanelModel } from "../model/panel-model.js";
import { type Place, readPlace, type TaskPart, writePlace } from "../model/place.js";
import { TextsContext, textsFor, useTexts } from "../texts/texts.js";
import { Frame } from "./frame.js";
import { ListView } from "./list/list-view.js";
import { PanelContext, usePanel, usePanelState } from "./panel-context.js";
import { Empty } from "./parts/empty.js";
import { ServerView } from "./server/server-view.js";
import { SignIn } from "./sign-in.js";
import { TaskView } from "./task/task-view.js";

/** The whole panel. */
export function App({ model }: { readonly model: PanelModel }): ReactNode {
  const { connection } = model;
  const facts = useSyncExternalStore(connection.subscribe, connection.facts);
  const texts = textsFor(facts.locale ?? navigator.language);
  const [place, go] = usePlace(model);
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
        <Frame place={place}>
          <View place={place} />
        </Frame>
      </TextsContext>
    </PanelContext>
  );
}

/** Where the user is: in the browser the address keeps it, so that it survives a reload and has a history. */
function usePlace(model: PanelModel): readonly [Place, (place: Place) => void] {
  const inBrowser = model.connection.mode === "browser";
  const [place, setPlace] = useState<Place>(() => (inBrowser ? readPlace(location.hash) : { name: "opened" }));
  useEffect(() => model.look(place), [model, place]);
  useEffect(() => {
    if (!inBrowser) return;
    const read = () => setPlace(readPlace(location.hash));
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [inBrowser]);
  const go = useCallback(
    (next: Place) => {
      setPlace((last) => {
        if (inBrowser) writeAddress(next, last.name !== next.name);
        return next;
      });
    },
    [inBrowser],
  );
  return [place, go];
}

/** Another view is a step of the history; another part or filter of the same view is not. */
function writeAddress(place: Place, isStep: boolean): void {
  const address = writePlace(place);
  if (address === location.hash) return;
  if (isStep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

function View({ place }: { readonly place: Place }): ReactNode {
  const { go } = usePanel();
  const isSignedOut = usePanelState(({ link }) => link.name === "signed_out");
  if (isSignedOut) return <SignIn />;
  if (place.name === "list") return <ListView place={place} />;
  if (place.name === "server") return <ServerView />;
  if (place.name === "opened") return <OpenedView part={place.part} />;
  const { taskId } = place;
  return (
    <TaskView
      key={taskId}
      taskId={taskId}
      part={place.part}
      onPart={(part) => go({ name: "task", taskId, part })}
      isListed
    />
  );
}

/** What the host has opened the view for. */
function OpenedView({ part }: { readonly part: TaskPart | undefined }): ReactNode {
  const texts = useTexts();
  const { go, model } = usePanel();
  const opened = usePanelState((state) => state.opened);
  if (opened.name === "found")
    return (
      <TaskView
        taskId={opened.taskId}
        part={part}
        onPart={(next) => go({ name: "opened", part: next })}
        isListed={false}
      />
    );
  if (opened.name === "list") return <OpenedList />;
  const { tool } = model.connection.facts().opened ?? {};
  return <Empty title={opened.name === "none" ? texts.noTaskHere : texts.looking(tool && lineText(tool))} />;
}

/** The list in a host keeps its filters to itself: the view stays that of the call. */
function OpenedList(): ReactNode {
  const { go } = usePanel();
  useEffect(() => go({ name: "list", words: "", show: "all" }), [go]);
  return null;
}
