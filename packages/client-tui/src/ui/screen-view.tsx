import type { ServerStats } from "@resumable-mcp/client";
import { Box } from "ink";
import { type ComponentType, type ReactNode, useCallback } from "react";
import { countLines, sessionLines } from "../display/summary-lines.js";
import { isReady } from "../model/board-state.js";
import { Board } from "./board/board.js";
import { boardKeys } from "./board/board-view-state.js";
import { Detail } from "./detail/detail.js";
import { type DetailOutcome, detailKeys } from "./detail/detail-state.js";
import { formKeys } from "./form/form.js";
import { AnswerScreen, CallScreen } from "./form/task-forms.js";
import type { Footer } from "./keys/use-footer.js";
import { MenuScreen, menuKeys } from "./menu/menu.js";
import type { PropsOf, Screen, ScreenProps } from "./navigation.js";
import { Opening } from "./opening/opening.js";
import { openingKeys } from "./opening/opening-state.js";
import { PaletteScreen, paletteKeys } from "./palette/palette.js";
import { Confirm, confirmKeys } from "./parts/confirm.js";
import { KeyBar } from "./parts/frame.js";
import { TextPage, textPageKeys } from "./parts/text-page.js";
import { type Loaded, useLoaded } from "./parts/use-loaded.js";
import { AddServerScreen } from "./servers/add-server-screen.js";
import { ImportScreen, importKeys } from "./servers/import-screen.js";
import { ServersScreen, serversKeys } from "./servers/servers.js";
import { SignInScreen, signInKeys } from "./servers/sign-in-screen.js";
import { taskActions } from "./task-actions.js";
import { ToolsScreen, toolListKeys } from "./tools/tool-list.js";

interface ScreenEntry<Name extends Screen["name"]> {
  readonly Body: ComponentType<PropsOf<Name>>;
  readonly keys: readonly string[];
  /** `?` lists all keys of the screen. */
  readonly listed?: true;
}

const screens: { readonly [Name in Screen["name"]]: ScreenEntry<Name> } = {
  opening: { Body: OpeningScreen, keys: openingKeys, listed: true },
  menu: { Body: MenuScreen, keys: menuKeys },
  board: { Body: BoardScreen, keys: boardKeys, listed: true },
  tools: { Body: ToolsScreen, keys: toolListKeys },
  stats: { Body: StatsScreen, keys: textPageKeys },
  session: { Body: SessionScreen, keys: textPageKeys },
  servers: { Body: ServersScreen, keys: serversKeys, listed: true },
  add_server: { Body: AddServerScreen, keys: formKeys },
  import_servers: { Body: ImportScreen, keys: importKeys },
  sign_in: { Body: SignInScreen, keys: signInKeys },
  page: { Body: PageScreen, keys: textPageKeys },
  detail: { Body: DetailScreen, keys: detailKeys, listed: true },
  call: { Body: CallScreen, keys: formKeys },
  answer: { Body: AnswerScreen, keys: formKeys },
  palette: { Body: PaletteScreen, keys: paletteKeys },
  confirm: { Body: ConfirmScreen, keys: confirmKeys },
};

/** The present screen between the title and the keys: those of its table, until it says which of them work. */
export function ScreenView(
  props: ScreenProps & {
    readonly notice: ReactNode;
    readonly banner: ReactNode;
    readonly footer: Footer | undefined;
  },
): ReactNode {
  const { notice, banner, footer, ...rest } = props;
  const { screen, columns, rows } = rest;
  // Each entry of the table is for the screen of its name.
  const { Body, keys, listed = false } = screens[screen.name] as ScreenEntry<Screen["name"]>;
  return (
    <>
      <Box flexDirection="column" height={rows} overflowY="hidden">
        {/* What is too high is cut off at the bottom: lines that shrink are drawn over each other. */}
        <Box flexDirection="column" flexShrink={0}>
          <Body {...rest} />
        </Box>
      </Box>
      {banner}
      {notice}
      <KeyBar keys={footer?.keys ?? keys} columns={columns} listed={listed} />
    </>
  );
}

function OpeningScreen(props: ScreenProps): ReactNode {
  const { state, unfinished } = props;
  const facts = { servers: state.servers, tasks: unfinished, ready: isReady(state) };
  return <Opening {...props} {...facts} onOutcome={taskActions(props).onOpening} />;
}

function BoardScreen(props: ScreenProps): ReactNode {
  const { onBoard } = taskActions(props);
  return <Board {...props} tasks={props.state.tasks} onOutcome={onBoard} onLook={useLook(props)} />;
}

function DetailScreen(props: PropsOf<"detail">): ReactNode {
  const { taskId } = props.screen;
  const task = props.state.tasks.get(taskId);
  const { onDetail } = taskActions(props);
  const onOutcome = (outcome: DetailOutcome) => onDetail(outcome, task);
  return <Detail key={taskId} {...props} {...{ task, onOutcome }} onLook={useLook(props)} />;
}

function useLook({ board }: Pick<ScreenProps, "board">): (taskId: string) => void {
  return useCallback((taskId) => void board.look(taskId), [board]);
}

/** How many tasks of which status each server keeps. */
function StatsScreen(props: ScreenProps): ReactNode {
  const stats = useLoaded(() => props.client.stats());
  return <Page {...props} title="Statistics" lines={statsLines(stats)} />;
}

function statsLines(stats: Loaded<readonly ServerStats[]>): readonly string[] {
  if (stats.name === "asking") return ["Asking the servers…"];
  if (stats.name === "failed") return [stats.problem];
  return stats.value.length === 0 ? ["There are no servers: 5 in the menu adds one."] : stats.value.flatMap(countLines);
}

/** Who this client is, and what it remembers. */
function SessionScreen(props: ScreenProps): ReactNode {
  return <Page {...props} title="Session" lines={sessionLines(props.client)} />;
}

function PageScreen(props: PropsOf<"page">): ReactNode {
  return <Page {...props} title={props.screen.title} lines={props.screen.lines} />;
}

function Page(props: ScreenProps & { readonly title: string; readonly lines: readonly string[] }): ReactNode {
  return <TextPage {...props} onBack={() => props.go({ type: "back" })} />;
}

function ConfirmScreen({ screen, go, columns, rows }: PropsOf<"confirm">): ReactNode {
  const onDecide = (yes: boolean) => {
    go({ type: "back" });
    if (yes) screen.action();
  };
  return <Confirm text={screen.text} lines={screen.lines} {...{ columns, rows, onDecide }} />;
}
