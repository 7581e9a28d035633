import { Box } from "ink";
import { type ReactNode, useCallback } from "react";
import { isReady } from "../model/board-state.js";
import { Board } from "./board/board.js";
import { boardKeys } from "./board/board-view-state.js";
import { Detail } from "./detail/detail.js";
import { detailKeys } from "./detail/detail-state.js";
import { AnswerScreen } from "./form/answer-screen.js";
import { CallScreen } from "./form/call-screen.js";
import { formKeys } from "./form/form.js";
import { MenuScreen, menuKeys } from "./menu/menu-screen.js";
import type { Screen } from "./navigation.js";
import { Opening } from "./opening/opening.js";
import { openingKeys } from "./opening/opening-state.js";
import { Confirm, confirmKeys } from "./parts/confirm.js";
import { KeyBar } from "./parts/key-bar.js";
import { TextPage, textPageKeys } from "./parts/text-page.js";
import type { ScreenProps } from "./screen-props.js";
import { AddServerScreen } from "./servers/add-server-screen.js";
import { ImportScreen, importKeys } from "./servers/import-screen.js";
import { serversKeys } from "./servers/servers.js";
import { ServersScreen } from "./servers/servers-screen.js";
import { SignInScreen, signInKeys } from "./servers/sign-in-screen.js";
import { SessionScreen } from "./summary/session-screen.js";
import { StatsScreen } from "./summary/stats-screen.js";
import { taskActions } from "./task-actions.js";
import { ToolsScreen, toolListKeys } from "./tools/tool-list.js";

const keysOf: Readonly<Record<Screen["name"], readonly string[]>> = {
  opening: openingKeys,
  menu: menuKeys,
  board: boardKeys,
  tools: toolListKeys,
  stats: textPageKeys,
  session: textPageKeys,
  servers: serversKeys,
  add_server: formKeys,
  import_servers: importKeys,
  sign_in: signInKeys,
  page: textPageKeys,
  detail: detailKeys,
  call: formKeys,
  answer: formKeys,
  confirm: confirmKeys,
};

/** Screens on which `?` lists all keys. */
const listed: ReadonlySet<Screen["name"]> = new Set(["opening", "board", "detail", "servers"]);

/** The present screen between the title and the keys. */
export function ScreenView(props: ScreenProps & { readonly notice: ReactNode; readonly banner: ReactNode }): ReactNode {
  const { notice, banner, ...rest } = props;
  const { screen, columns, rows } = rest;
  return (
    <>
      <Box flexDirection="column" height={rows} overflowY="hidden">
        {/* What is too high is cut off at the bottom: lines that shrink are drawn over each other. */}
        <Box flexDirection="column" flexShrink={0}>
          <ScreenBody {...rest} />
        </Box>
      </Box>
      {banner}
      {notice}
      <KeyBar keys={keysOf[screen.name]} columns={columns} listed={listed.has(screen.name)} />
    </>
  );
}

function ScreenBody(props: ScreenProps): ReactNode {
  const { screen, go, columns, rows } = props;
  const size = { columns, rows };
  const back = () => go({ type: "back" });
  switch (screen.name) {
    case "opening":
    case "board":
    case "detail":
      return <TaskScreen {...props} />;
    case "menu":
      return <MenuScreen {...props} />;
    case "tools":
      return <ToolsScreen {...props} />;
    case "call":
      return <CallScreen {...props} tool={screen.tool} />;
    case "answer":
      return <AnswerScreen {...props} taskId={screen.taskId} question={screen.question} />;
    case "stats":
      return <StatsScreen client={props.client} {...size} onBack={back} />;
    case "session":
      return <SessionScreen client={props.client} {...size} onBack={back} />;
    case "servers":
      return <ServersScreen {...props} />;
    case "add_server":
      return <AddServerScreen {...props} />;
    case "import_servers":
      return <ImportScreen {...props} />;
    case "sign_in":
      return <SignInScreen {...props} signIn={screen} />;
    case "page":
      return <TextPage title={screen.title} lines={screen.lines} {...size} onBack={back} />;
    case "confirm":
      return (
        <Confirm
          text={screen.text}
          columns={columns}
          onDecide={(yes) => {
            back();
            if (yes) screen.action();
          }}
        />
      );
  }
}

/** The screens that show tasks and steer them. */
function TaskScreen(props: ScreenProps): ReactNode {
  const { screen, state, unfinished, board, columns, rows, nowMs } = props;
  const act = taskActions(props);
  const look = useCallback((taskId: string) => void board.look(taskId), [board]);
  const common = { columns, rows, nowMs };
  if (screen.name === "board") return <Board tasks={state.tasks} {...common} onOutcome={act.onBoard} onLook={look} />;
  if (screen.name !== "detail") {
    const { servers } = state;
    return <Opening {...{ servers, ...common }} tasks={unfinished} ready={isReady(state)} onOutcome={act.onOpening} />;
  }
  const task = state.tasks.get(screen.taskId);
  return (
    <Detail
      key={screen.taskId}
      task={task}
      {...common}
      onLook={look}
      onOutcome={(outcome) => act.onDetail(outcome, task)}
    />
  );
}
