import { canDo } from "@resumable-mcp/protocol/display";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutStart, fitText, plainText, textWidth } from "../../display/plain-text.js";
import { toolTitle } from "../../display/task-status.js";
import { type BoardTask, isAway } from "../../model/board-task.js";
import { visibleRange } from "../keys/key-rules.js";
import { verbKeys } from "../keys/task-keys.js";
import { rowsOfList, useClicks } from "../keys/use-clicks.js";
import { always, useKeyState } from "../keys/use-key-state.js";
import type { PropsOf } from "../navigation.js";
import { Entries } from "../parts/line.js";
import { places } from "../places.js";
import { type ActionProps, answer, copyOf, restart, resumeAll, steerTasks } from "../task-actions.js";
import { matchingCommands, type PaletteCommand, reducePalette } from "./palette-state.js";

/** The keys of the palette. */
export const paletteKeys = ["Enter run", "↑↓ move", "type to search", "Esc back"];

/** Everything that can be done from the screen before, found by typing. */
export function PaletteScreen(props: PropsOf<"palette">): ReactNode {
  const { screen, state, go, columns, rows } = props;
  const task = screen.taskId === undefined ? undefined : state.tasks.get(screen.taskId);
  const commands = [...(task === undefined ? [] : taskCommands(props, task)), ...generalCommands(props)];
  const clicks = useClicks();
  const { cursor, search } = useKeyState(
    (now, key) => reducePalette(now, clicks.translate(key), commands),
    { cursor: 0, search: "" },
    (outcome) => {
      go({ type: "back" });
      if (outcome !== "back") outcome.run();
    },
    always,
  );
  const shown = matchingCommands(commands, search);
  clicks.drawn({ cursor, indexAt: rowsOfList(1, visibleRange(cursor, shown.length, rows - 1)) });
  return (
    <Box flexDirection="column">
      <Text bold>{`:${cutStart(plainText(search), columns - 2)}_`}</Text>
      {shown.length === 0 ? <Text>No command matches. Backspace takes back.</Text> : null}
      <Entries texts={commandLines(shown, columns)} {...{ cursor, columns }} rows={rows - 1} wide />
    </Box>
  );
}

/** Columns that the longest key takes, with the space before it and the mark of the line. */
const keyColumns = 10;

/** The commands, where there is room with the keys that do the same in a column of their own. */
function commandLines(commands: readonly PaletteCommand[], columns: number): readonly string[] {
  const width = Math.max(0, ...commands.map(({ label }) => textWidth(label)));
  if (width + keyColumns > columns) return commands.map(({ label }) => label);
  return commands.map(({ label, key = "" }) => `${fitText(label, width)}  ${key}`.trimEnd());
}

function taskCommands(props: ActionProps, task: BoardTask): readonly PaletteCommand[] {
  const { id } = task.info;
  const name = plainText(toolTitle(task.info));
  const verbs = Object.entries(verbKeys).filter(([, verb]) => canDo(verb, task));
  return [
    {
      label: `open ${name}`,
      key: "Enter",
      run: () => props.go({ type: "open", screen: { name: "detail", taskId: id } }),
    },
    ...(canDo("answer", task) ? [{ label: `answer ${name}`, key: "a", run: () => answer(props, id) }] : []),
    ...verbs.map(([key, verb]) => ({ label: `${verb} ${name}`, key, run: () => steerTasks(props, verb, [id]) })),
    ...(isAway(task) ? [] : [{ label: `restart ${name}`, key: "n", run: () => restart(props, task) }]),
    { label: `shell command of ${name}`, key: "y", run: () => copyOf(props, "copy", task) },
    ...(task.journal?.arguments
      ? [{ label: `arguments of ${name}`, key: "Y", run: () => copyOf(props, "copy_arguments", task) }]
      : []),
    { label: `id of ${name}`, key: "i", run: () => copyOf(props, "copy_id", task) },
  ];
}

function generalCommands(props: PropsOf<"palette">): readonly PaletteCommand[] {
  const { board, state, go, extraActions, onExit } = props;
  const running = [...state.tasks.values()].filter((task) => task.info.status === "running" && canDo("pause", task));
  const extra = extraActions.map(({ label, run }) => ({ label, run: () => void board.runExtra(run) }));
  return [
    { label: "resume all interrupted tasks", key: "R", run: () => resumeAll(props) },
    {
      label: "pause all running tasks",
      run: () =>
        steerTasks(
          props,
          "pause",
          running.map(({ info }) => info.id),
        ),
    },
    ...places.map(({ key, label, screen }) => ({ label, key, run: () => go({ type: "visit", screen }) })),
    { label: "add a server", run: () => go({ type: "open", screen: { name: "add_server" } }) },
    {
      label: "import servers of other programs",
      run: () => go({ type: "open", screen: { name: "import_servers" } }),
    },
    { label: "ask the servers again now", key: "g", run: () => void board.retryNow() },
    ...extra,
    { label: "leave: tasks continue", key: "Ctrl-C", run: () => onExit("quit") },
  ];
}
