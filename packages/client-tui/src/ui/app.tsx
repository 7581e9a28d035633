import { StatusMessage } from "@inkjs/ui";
import { isFinal } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import { type ReactNode, useEffect, useReducer, useSyncExternalStore } from "react";
import { cutText } from "../display/plain-text.js";
import type { AppProps } from "./app-props.js";
import { Header } from "./header.js";
import type { KeyPress } from "./key-press.js";
import { KeyProvider } from "./key-provider.js";
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
  const { columns, rows } = useScreenSize(props.size);
  const state = useSyncExternalStore(board.store.subscribe, board.store.getSnapshot);
  const [navigation, go] = useReducer(navigate, [{ name: "opening" }]);
  const unfinished = [...state.tasks.values()].filter(({ info }) => !isFinal(info.status));
  const nowMs = useNow(unfinished.length > 0, clock);
  const screen = currentScreen(navigation);
  const nothingToAsk = screen.name === "opening" && state.ready && unfinished.length === 0;

  useEffect(() => {
    void board.refresh();
  }, [board]);
  useEffect(() => {
    if (nothingToAsk) go({ type: "replace", screen: { name: "menu" } });
  }, [nothingToAsk]);

  const onPress = (press: KeyPress) => {
    if (press.name === "interrupt") onExit("interrupt");
    else board.dismiss();
    return press.name === "interrupt";
  };
  const tooSmall = columns < leastColumns || rows < leastRows;
  return (
    <KeyProvider onPress={onPress}>
      {tooSmall ? (
        <Text>{cutText(`Too small: ${leastColumns}×${leastRows} is needed.`, columns)}</Text>
      ) : (
        <Box flexDirection="column" width={columns} height={rows - 1}>
          <Header servers={state.servers} columns={columns} />
          <ScreenView
            {...props}
            screen={nothingToAsk ? { name: "menu" } : screen}
            state={state}
            unfinished={unfinished}
            go={go}
            nowMs={nowMs}
            columns={columns}
            rows={rows - frameRows}
            notice={<Notice notice={state.notice} columns={columns} />}
          />
        </Box>
      )}
    </KeyProvider>
  );
}

function Notice(props: {
  readonly notice: { readonly kind: "info" | "error"; readonly text: string } | undefined;
  readonly columns: number;
}): ReactNode {
  const { notice, columns } = props;
  if (notice === undefined) return <Text> </Text>;
  // The mark and a space before the text.
  return <StatusMessage variant={notice.kind}>{cutText(notice.text, columns - 2)}</StatusMessage>;
}
