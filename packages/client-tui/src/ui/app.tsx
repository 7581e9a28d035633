import { StatusMessage } from "@inkjs/ui";
import type { ServerInfo } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import { type ReactNode, useCallback, useEffect, useMemo, useReducer, useState, useSyncExternalStore } from "react";
import { cutText } from "../display/plain-text.js";
import { isReady, type Notice } from "../model/board-state.js";
import { isUnfinished } from "../model/board-task.js";
import type { KeyPress } from "./keys/key-press.js";
import { InterruptOnly, KeyProvider } from "./keys/key-provider.js";
import type { Background } from "./keys/terminal-reply.js";
import { type Footer, FooterContext } from "./keys/use-footer.js";
import {
  createScreenMemories,
  GlobalKeysContext,
  type ScreenMemory,
  ScreenMemoryContext,
} from "./keys/use-key-state.js";
import { type AppProps, currentScreen, type NavigationAction, navigate, type Screen } from "./navigation.js";
import { Header, QuestionBanner, type WaitingQuestion, waitingQuestions } from "./parts/frame.js";
import { noticeLines } from "./parts/notice.js";
import { useNow, useSince } from "./parts/use-now.js";
import { places } from "./places.js";
import { ScreenView } from "./screen-view.js";
import { ThemeContext, themes } from "./theme.js";

/** The smallest terminal on which the screens still mean something. */
const leastColumns = 40;
const leastRows = 10;
/** Title and keys, and one line that stays free so that the terminal never scrolls. */
const frameRows = 3;
const menu: Screen = { name: "menu" };

/** The user interface: opens with what is not finished, and leads everywhere from the menu. */
export function App(props: AppProps): ReactNode {
  const { board, clock } = props;
  const { columns, rows } = props.size;
  const state = useSyncExternalStore(board.store.subscribe, board.store.getSnapshot);
  const [navigation, go] = useReducer(navigate, [{ name: "opening" }]);
  const memories = useMemo(createScreenMemories, []);
  const unfinished = useMemo(() => [...state.tasks.values()].filter(isUnfinished), [state.tasks]);
  const waits = state.servers.some((server) => server.state.name === "waiting");
  const nowMs = useNow(unfinished.length > 0 || waits, clock);
  const since = useSince(state.servers, clock);
  const sinceMs = (server: ServerInfo) => since.get(server.state) ?? nowMs;
  const present = currentScreen(navigation);
  const screen = present.name === "opening" && isReady(state) && unfinished.length === 0 ? menu : present;
  const questions = waitingQuestions(unfinished, screen);
  const [footer, setFooter] = useState<Footer>();
  const onGlobal = useGlobalKeys(go, footer?.taskId, screen.name === "menu");
  useEffect(() => {
    void board.refresh();
  }, [board]);
  useEffect(() => {
    if (screen !== present) go({ type: "replace", screen });
  }, [screen, present]);
  if (columns < leastColumns || rows < leastRows) return <TooSmall {...props} />;
  const answer = (open: WaitingQuestion | undefined) => {
    if (open === undefined) return board.notice("info", "No open question.");
    go({ type: "open", screen: { name: "answer", taskId: open.task.info.id, question: open.question } });
  };
  // Keys that mean the same on every screen, also while one types.
  const onPress = ({ name }: KeyPress) => {
    if (name === "interrupt") props.onExit("interrupt");
    else board.dismiss();
    if (name === "question") answer(questions[0]);
    return name === "interrupt" || name === "question";
  };
  const banner = questions.length > 0;
  // One line is kept free for what comes next.
  const notice = noticeLines(state.notice?.text ?? " ", columns);
  return (
    <KeyProvider onPress={onPress} onBackground={props.onBackground}>
      <Box flexDirection="column" width={columns} height={rows - 1}>
        <Header servers={state.servers} {...{ columns, sinceMs, nowMs }} />
        <ScreenContexts {...{ onGlobal, setFooter }} memory={memories(screen)} background={props.background}>
          <ScreenView
            {...props}
            {...{ screen, state, unfinished, go, nowMs, columns, footer }}
            rows={rows - frameRows - notice.length - (banner ? 1 : 0)}
            notice={<NoticeLines kind={state.notice?.kind} lines={notice} />}
            banner={banner ? <QuestionBanner questions={questions} columns={columns} /> : null}
          />
        </ScreenContexts>
      </Box>
    </KeyProvider>
  );
}

/** Keys that mean the same wherever one does not type: the numbers of places, and the palette. */
function useGlobalKeys(go: (action: NavigationAction) => void, taskId: string | undefined, isMenu: boolean) {
  return useCallback(
    ({ text }: KeyPress) => {
      // The menu has a meaning of its own for the first.
      const place = places.find(({ key, screen }) => key === text && !(isMenu && screen.name === "tools"));
      if (place !== undefined) go({ type: "visit", screen: place.screen });
      if (text === ":") go({ type: "open", screen: { name: "palette", taskId } });
      return place !== undefined || text === ":";
    },
    [go, taskId, isMenu],
  );
}

function ScreenContexts(props: {
  readonly onGlobal: (press: KeyPress) => boolean;
  readonly setFooter: (footer: Footer | undefined) => void;
  readonly memory: ScreenMemory;
  readonly background: Background;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <ThemeContext value={themes[props.background]}>
      <GlobalKeysContext value={props.onGlobal}>
        <FooterContext value={props.setFooter}>
          <ScreenMemoryContext value={props.memory}>{props.children}</ScreenMemoryContext>
        </FooterContext>
      </GlobalKeysContext>
    </ThemeContext>
  );
}

/** Ctrl-C still leaves; everything else waits for room. */
function TooSmall({ onExit, size }: AppProps): ReactNode {
  const text = `Too small: ${leastColumns}×${leastRows} is needed.`;
  return (
    <InterruptOnly onInterrupt={() => onExit("interrupt")}>
      <Text>{cutText(text, size.columns)}</Text>
    </InterruptOnly>
  );
}

function NoticeLines({
  kind,
  lines,
}: {
  readonly kind?: Notice["kind"];
  readonly lines: readonly string[];
}): ReactNode {
  const text = lines.join("\n");
  return kind === undefined ? <Text>{text}</Text> : <StatusMessage variant={kind}>{text}</StatusMessage>;
}
