import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { shareColumns } from "../../display/task-columns.js";
import type { Screen } from "../navigation.js";
import { TaskRow, useSameWidths } from "../parts/task-row.js";
import type { ScreenProps } from "../screen-props.js";
import { Menu, type MenuItem } from "./menu.js";

/** The keys of the menu. */
export const menuKeys = ["1-5 or Enter choose", "Ctrl-C leave", "0 exit"];

/** What the menu has, before what the embedding program adds. */
export const menuItems: readonly MenuItem[] = [
  { key: "1", letter: "p", label: "process data: call a tool" },
  { key: "2", letter: "l", label: "list tasks" },
  { key: "3", letter: "s", label: "statistics" },
  { key: "4", letter: "y", label: "session summary" },
  { key: "5", letter: "v", label: "servers" },
  { key: "0", letter: "q", label: "exit" },
];

/** An empty line and the title of the tasks. */
const frameRows = 2;

const screens: ReadonlyMap<string, Screen> = new Map([
  ["1", { name: "tools" }],
  ["2", { name: "board" }],
  ["3", { name: "stats" }],
  ["4", { name: "session" }],
  ["5", { name: "servers" }],
]);

/** The menu, and under it the tasks that are not finished. */
export function MenuScreen(props: ScreenProps): ReactNode {
  const { unfinished, columns, rows, nowMs, extraActions, board, go, onExit } = props;
  const all = [...menuItems.slice(0, -1), ...extraActions, ...menuItems.slice(-1)];
  const choose = (key: string) => {
    const screen = screens.get(key);
    const extra = extraActions.find((action) => action.key === key);
    if (screen !== undefined) go({ type: "open", screen });
    else if (extra === undefined) onExit("quit");
    else void runExtra(extra, board);
  };
  const widths = useSameWidths(shareColumns(unfinished, columns));
  const room = Math.max(0, rows - all.length - frameRows);
  const shown = unfinished.slice(0, room);
  return (
    <>
      <Menu
        items={all}
        columns={columns}
        rows={rows}
        onOutcome={(outcome) =>
          outcome.type === "chosen" ? choose(outcome.key) : board.notice("info", unknownKeyText(outcome.text, all))
        }
      />
      {shown.length === 0 ? null : (
        <Box flexDirection="column" marginTop={1}>
          <Text bold>{unfinishedTitle(unfinished.length, shown.length)}</Text>
          {shown.map((task) => (
            <TaskRow key={task.info.id} task={task} widths={widths} columns={columns} nowMs={nowMs} />
          ))}
        </Box>
      )}
    </>
  );
}

function unknownKeyText(text: string, items: readonly MenuItem[]): string {
  return `"${text}" is not a key of the menu. Its keys are ${items.map(({ key }) => key).join(" ")}.`;
}

function unfinishedTitle(count: number, shown: number): string {
  return shown < count ? `${count} unfinished; 2 lists all` : `${count} unfinished`;
}

async function runExtra(action: ScreenProps["extraActions"][number], board: ScreenProps["board"]): Promise<void> {
  try {
    const text = await action.run();
    if (text !== undefined) board.notice("info", text);
  } catch (error) {
    board.notice("error", error instanceof Error ? error.message : String(error));
  }
}
