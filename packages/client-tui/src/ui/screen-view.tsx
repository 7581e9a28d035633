import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { AnswerScreen } from "./answer-screen.js";
import { Board, boardKeys } from "./board/board.js";
import { CallScreen } from "./call-screen.js";
import { Confirm, confirmKeys } from "./confirm.js";
import { Detail, detailKeys } from "./detail/detail.js";
import { formKeys } from "./form/form.js";
import { KeyBar } from "./key-bar.js";
import { MenuScreen, menuKeys } from "./menu-screen.js";
import type { Screen } from "./navigation.js";
import { Opening, openingKeys } from "./opening/opening.js";
import type { ScreenProps } from "./screen-props.js";
import { SessionScreen } from "./session/session-screen.js";
import { StatsScreen } from "./stats/stats-screen.js";
import { useTaskActions } from "./task-actions.js";
import { textPageKeys } from "./text-page.js";
import { toolListKeys } from "./tools/tool-list.js";
import { ToolsScreen } from "./tools/tools-screen.js";

const keysOf: Readonly<Record<Screen["name"], readonly string[]>> = {
  opening: openingKeys,
  menu: menuKeys,
  board: boardKeys,
  tools: toolListKeys,
  stats: textPageKeys,
  session: textPageKeys,
  detail: detailKeys,
  call: formKeys,
  answer: formKeys,
  confirm: confirmKeys,
};

/** The present screen between the title and the keys. */
export function ScreenView({ notice, ...props }: ScreenProps & { readonly notice: ReactNode }): ReactNode {
  const { screen, columns, rows } = props;
  return (
    <>
      <Box flexDirection="column" height={rows} overflow="hidden">
        <ScreenBody {...props} />
      </Box>
      {notice}
      <KeyBar keys={keysOf[screen.name]} columns={columns} />
    </>
  );
}

function ScreenBody(props: ScreenProps): ReactNode {
  const { screen, state, unfinished, board, go, columns, rows, nowMs } = props;
  const act = useTaskActions(props);
  const size = { columns, rows };
  const back = () => go({ type: "back" });
  switch (screen.name) {
    case "opening":
      if (!state.ready) return <Text>Looking for your tasks…</Text>;
      return <Opening tasks={unfinished} {...size} nowMs={nowMs} onOutcome={act.onOpening} />;
    case "menu":
      return <MenuScreen {...props} />;
    case "board":
      return <Board tasks={[...state.tasks.values()]} {...size} nowMs={nowMs} onOutcome={act.onBoard} />;
    case "detail": {
      const task = state.tasks.get(screen.taskId);
      return <Detail task={task} {...size} nowMs={nowMs} onOutcome={(outcome) => act.onDetail(outcome, task)} />;
    }
    case "tools":
      return <ToolsScreen {...props} />;
    case "call":
      return <CallScreen {...props} tool={screen.tool} />;
    case "answer":
      return <AnswerScreen {...props} taskId={screen.taskId} question={screen.question} />;
    case "stats":
      return <StatsScreen client={props.client} {...size} board={board} onBack={back} />;
    case "session":
      return <SessionScreen client={props.client} {...size} onBack={back} />;
    case "confirm":
      return (
        <Confirm
          text={screen.text}
          onDecide={(yes) => {
            back();
            if (yes) screen.action();
          }}
        />
      );
  }
}
