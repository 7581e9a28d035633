import { isFinal } from "@resumable-mcp/client";
import { Box, Text, useInput } from "ink";
import { type ReactNode, useEffect, useReducer, useSyncExternalStore } from "react";
import { cutText } from "../display/plain-text.js";
import { useTheme } from "../theme/theme-context.js";
import type { AppProps } from "./app-props.js";
import { Header } from "./header.js";
import { toKeyPress } from "./key-press.js";
import { currentScreen, navigate } from "./navigation.js";
import { ScreenView } from "./screen-view.js";
import { useNow } from "./use-now.js";
import { useScreenSize } from "./use-screen-size.js";

/** The smallest terminal on which the screens still mean something. */
const leastColumns = 40;
const leastRows = 10;
/** Title, notice and keys, and one line that stays free so that the terminal never scrolls. */
const frameRows = 4;

/** The user interface: opens with what is not finished, and leads everywhere from the menu. */
export function App(props: AppProps): ReactNode {
  const { board, clock, onExit } = props;
  const theme = useTheme();
  const { columns, rows } = useScreenSize(props.size);
  const state = useSyncExternalStore(board.store.subscribe, board.store.getSnapshot);
  const [navigation, go] = useReducer(navigate, [{ name: "opening" }]);
  const unfinished = [...state.tasks.values()].filter(({ info }) => !isFinal(info.status));
  const nowMs = useNow(unfinished.length > 0, clock);
  const asked = currentScreen(navigation);
  // Nothing to ask about: the menu is the first screen.
  const screen =
    asked.name === "opening" && state.ready && unfinished.length === 0 ? ({ name: "menu" } as const) : asked;

  useEffect(() => {
    void board.refresh();
  }, [board]);
  useInput((input, key) => {
    const press = toKeyPress(input, key);
    if (press.name === "interrupt") onExit("interrupt");
    else board.dismiss();
  });

  if (columns < leastColumns || rows < leastRows) {
    return <Text>{cutText(`Too small: ${leastColumns}×${leastRows} is needed.`, columns)}</Text>;
  }
  const { notice } = state;
  const color = notice?.kind === "error" ? theme.error : undefined;
  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <GlobalKeys board={board} onExit={onExit} />
      <Header servers={state.servers} columns={columns} />
      <ScreenView
        {...props}
        screen={screen}
        state={state}
        unfinished={unfinished}
        go={go}
        nowMs={nowMs}
        columns={columns}
        rows={rows - frameRows}
        notice={<Text {...(color === undefined ? {} : { color })}>{cutText(noticeText(notice), columns) || " "}</Text>}
      />
    </Box>
  );
}

/** The keys that mean the same everywhere; first in the tree, so that it hears a key before the screen does. */
function GlobalKeys({ board, onExit }: Pick<AppProps, "board" | "onExit">): ReactNode {
  useInput((input, key) => {
    if (toKeyPress(input, key).name === "interrupt") onExit("interrupt");
    else board.dismiss();
  });
  return null;
}

function noticeText(notice: { readonly kind: "info" | "error"; readonly text: string } | undefined): string {
  if (notice === undefined) return "";
  return notice.kind === "error" ? `! ${notice.text}` : notice.text;
}
